/** Everything a person reads about plans, drift and applies, as pure functions from values to text. */
export { renderApplySummary } from './apply-summary';
export { type PlanSummary, summarize, summaryLine } from './budget';
export { driftCount, driftLine, renderDrift } from './drift';
export { placeOf, renderPlan } from './plan';
export { renderStops, stopsOf } from './stops';
export { type Colours, coloursFor, counted, plain, prose, type RenderOptions, renderJson } from './text';
export { showValue } from './value';

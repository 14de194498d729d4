/** Everything a person reads about plans, drift and applies, as pure functions from values to text. */
export { renderApplySummary } from './apply-summary';
export { summarize, summaryLine } from './budget';
export { renderDrift } from './drift';
export { renderPlan } from './plan';
export { renderStops } from './stops';
export { plain, renderJson } from './text';
export { showValue } from './value';

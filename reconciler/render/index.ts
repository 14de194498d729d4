/** Everything a person reads about plans, drift and applies, as pure functions from values to text. */
export { renderApplySummary } from './apply-summary';
export { renderDrift } from './drift';
export { renderPlan, renderStops, summarize, summaryLine } from './plan';
export { renderJson, showValue } from './text';

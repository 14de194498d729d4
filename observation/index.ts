/** What is out there, with evidence of presence and absence. */
export { chooseLists } from './choose-lists';
export { createListCache, type ListCache, type ListCacheOptions } from './list-cache';
export type { Observation } from './observation';
export {
  type Expectation,
  foundAll,
  inParallel,
  type ObservationNeeds,
  observationOf,
  observe,
} from './observe';
export type { ListResult, Observed, ShowResult } from './observed';

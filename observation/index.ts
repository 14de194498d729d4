/** What is out there, with evidence of presence and absence. */
export { chooseLists } from './choose-lists';
export type { Expectation } from './expectation';
export { createListCache, type ListCache } from './list-cache';
export type { Observation } from './observation';
export { foundAll, inParallel, observationOf, observe } from './observe';
export type { Observed } from './observed';

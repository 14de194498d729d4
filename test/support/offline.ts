/** Puts nock in front of http, so that no test of a suite reaches the network. */
import nock from 'nock';

// The import of nock replaces http for every test of the process, and only some tests want that.
nock.restore();

/** Call it inside `describe`. Its tests cannot reach the network. */
export function offline(): void {
  before(() => {
    nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}

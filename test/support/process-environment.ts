/** Sets variables of this process before each test of a `describe`, for an SDK that reads them, and restores them afterwards. */
export function withEnvironment(env: () => Readonly<Record<string, string>>): void {
  const before = new Map<string, string | undefined>();
  beforeEach(() => {
    for (const [name, value] of Object.entries(env())) {
      before.set(name, process.env[name]);
      process.env[name] = value;
    }
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

/** Entry point `tether-iac/provider`: states of 0.1.0 load it for resources that no `up` has moved to the plugin yet. */
const reason =
  'this stack was written by tether-iac 0.1, and its resources are served by a plugin now: run `pulumi up` once, without --refresh, which moves them without a call to the service';

/** Throws for each of the names that states hold. */
const moved: object = new Proxy(
  {},
  {
    get: () => {
      const error = new Error(reason);
      // The SDK prints both.
      error.stack = '';
      throw error;
    },
  },
);

export = moved;

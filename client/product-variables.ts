/** The settings that users have already for other tools of a product, such as `TFE_TOKEN`. */

/** The variables of a product's own tools. Each is read if Tether's own variable for that setting is not set. */
export interface ProductVariables
  extends Readonly<Record<'token' | 'address' | 'hostname', readonly string[]>> {
  /** The host of the service if no variable names one. */
  readonly defaultHost: string;
}

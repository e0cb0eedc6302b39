// The deployment's quotas for one principal, resolved by src/config/settings.ts.

export interface Quotas {
  sandboxesMax: number;
  /** How many sandboxes may be awake at once. */
  awakeMax: number;
}

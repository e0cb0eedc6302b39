// The deployment's settings for how much one principal may have. src/config/settings.ts resolves them.

export interface Quotas {
  sandboxesMax: number;
  /** How many sandboxes may be awake at once. */
  awakeMax: number;
}

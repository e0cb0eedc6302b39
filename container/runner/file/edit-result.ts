// The types that the kinds of edits share.

export interface EditResult {
  bytes: Buffer;
  /** How many positions were changed. */
  changes: number;
}

/** Identifies an edit in a failure: its number (from 1), the number of edits, and the file. */
export interface EditPosition {
  path: string;
  edit: number;
  edits: number;
}

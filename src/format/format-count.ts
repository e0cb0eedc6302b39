// Numbers in sentences.

/** "1 file", "1,234 files". */
export const counted = (count: number, unit: string): string => `${grouped(count)} ${unit}${count === 1 ? "" : "s"}`;

export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

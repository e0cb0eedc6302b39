// The part of a Durable Object's key-value storage that this code uses.

export interface KeyValues {
  get<Value>(key: string): Value | undefined;
  put<Value>(key: string, value: Value): void;
  delete(key: string): boolean;
}

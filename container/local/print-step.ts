// One line for each thing that is being prepared, with the time it took.

export async function step<Value>(what: string, work: () => Promise<Value> | Value): Promise<Value> {
  const start = performance.now();
  process.stdout.write(`${what} …`);
  try {
    const value = await work();
    process.stdout.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    return value;
  } catch (error) {
    process.stdout.write(" failed\n");
    throw error;
  }
}

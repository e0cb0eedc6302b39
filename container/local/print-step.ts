// Prints one line for each step of the start, with the time it took.

export async function printStep<Value>(title: string, work: () => Promise<Value> | Value): Promise<Value> {
  const start = performance.now();
  process.stdout.write(`${title} …`);
  try {
    const value = await work();
    process.stdout.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    return value;
  } catch (error) {
    process.stdout.write(" failed\n");
    throw error;
  }
}

// Carries out operations in the same tick, for which no connection is fast enough. Reads JSON from stdin, a list of
// [name, request], and writes the results as JSON to stdout.

import { json } from "node:stream/consumers";
import * as z from "zod";
import { operate } from "../../../container/runner/operation-table.ts";
import { readOptions } from "../../../container/runner/options.ts";
import { createContext } from "../../../container/runner/runner-context.ts";

const calls = z.array(z.tuple([z.string(), z.unknown()])).parse(await json(process.stdin));
const machine = createContext(readOptions(process.env));
const results = await Promise.all(calls.map(([name, request]) => operate(name, request, machine)));
process.stdout.write(JSON.stringify(results), () => process.exit(0));

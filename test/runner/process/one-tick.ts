// Carries out operations that come in the same tick, which no connection is quick enough for: JSON on stdin, a list of
// [name, request]; JSON on stdout, their results.

import { json } from "node:stream/consumers";
import * as z from "zod";
import { operate } from "../../../container/runner/operation-table.ts";
import { readOptions } from "../../../container/runner/options.ts";
import { createContext } from "../../../container/runner/runner-context.ts";

const calls = z.array(z.tuple([z.string(), z.unknown()])).parse(await json(process.stdin));
const machine = createContext(readOptions(process.env));
const results = await Promise.all(calls.map(([name, request]) => operate(name, request, machine)));
process.stdout.write(JSON.stringify(results), () => process.exit(0));

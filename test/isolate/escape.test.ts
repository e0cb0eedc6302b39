// Code that tries to escape, to reach what it was not granted, or to break the harness. It reaches nothing outside, and its
// run is answered like any other.

import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, startFixture } from "./fixture/start.ts";

let fixture: Fixture;
let http: Server;
let tcp: TcpServer;
/** Every connection to the two servers. */
const reached: string[] = [];

beforeAll(async () => {
  http = createServer((request, response) => {
    reached.push(`http ${request.url}`);
    response.end("reached");
  });
  http.on("connection", () => reached.push("http connection"));
  tcp = createTcpServer((socket) => {
    reached.push("tcp connection");
    socket.end();
  });
  await Promise.all([listen(http), listen(tcp)]);
  fixture = await startFixture({ ACCESS_KEYS: "secret-of-the-deployment", GITHUB_TOKEN: "secret-of-the-deployment" });
});
afterAll(async () => {
  await fixture.stop();
  http.close();
  tcp.close();
});

const listen = (server: Server | TcpServer) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const portOf = (server: Server | TcpServer): number => (server.address() as AddressInfo).port;

describe("the network", () => {
  const doors: [door: string, code: (host: string, tcpPort: number) => string][] = [
    ["fetch", (host) => `fetch("http://${host}/fetch")`],
    [
      "the fetch of another prototype",
      (host) => `Object.getPrototypeOf(globalThis).fetch?.call(globalThis, "http://${host}/proto")`,
    ],
    ["a Request", (host) => `fetch(new Request("http://${host}/request"))`],
    ["WebSocket", (host) => `new WebSocket("ws://${host}/ws")`],
    ["EventSource", (host) => `new EventSource("http://${host}/events")`],
    [
      "the EventSource of a Response",
      (host) =>
        `Object.getPrototypeOf(globalThis).EventSource?.from?.(new Response("").body), new (Object.getPrototypeOf(globalThis).EventSource)("http://${host}/es")`,
    ],
    ["sendBeacon", (host) => `navigator.sendBeacon("http://${host}/beacon", "x")`],
    [
      "the cache",
      (host) =>
        `(async () => { await caches.default.put("http://${host}/cache", new Response("x")); return (await caches.default.match("http://${host}/cache")).text() })()`,
    ],
    ["an opened cache", (host) => `caches.open("x").then((cache) => cache.add("http://${host}/add"))`],
    ["cloudflare:sockets", (host) => `import("cloudflare:sockets").then(({ connect }) => connect("${host}").opened)`],
    [
      "cloudflare:sockets by a computed name",
      (host) => `import(["cloudflare", "sockets"].join(":")).then(({ connect }) => connect("${host}").opened)`,
    ],
    [
      "node:net",
      (_, port) =>
        `import("node:net").then((net) => new Promise((resolve, reject) => net.connect(${port}, "127.0.0.1", resolve).on("error", reject)))`,
    ],
    [
      "node:http",
      (host) =>
        `import("node:http").then((http) => new Promise((resolve, reject) => http.get("http://${host}/node", resolve).on("error", reject)))`,
    ],
    [
      "node:net through process",
      (_, port) =>
        `new Promise((resolve, reject) => process.getBuiltinModule("node:net").connect(${port}, "127.0.0.1", resolve).on("error", reject))`,
    ],
    [
      "node:https through process",
      (host) =>
        `new Promise((resolve, reject) => process.getBuiltinModule("node:http").get("http://${host}/builtin", resolve).on("error", reject))`,
    ],
    [
      "node:tls through process",
      (_, port) =>
        `new Promise((resolve, reject) => process.getBuiltinModule("node:tls").connect(${port}, "127.0.0.1", resolve).on("error", reject))`,
    ],
    [
      "createRequire",
      (host) =>
        `process.getBuiltinModule("node:module").createRequire("/")("node:http").get("http://${host}/require").on("error", () => {})`,
    ],
    ["an import from an address", (host) => `import("http://${host}/module.js")`],
    ["import of data", () => `import("data:text/javascript,export default 1")`],
    ["importScripts", (host) => `importScripts("http://${host}/script.js")`],
    ["XMLHttpRequest", (host) => `new XMLHttpRequest().open("GET", "http://${host}/xhr")`],
    ["a Worker", (host) => `new Worker("http://${host}/worker.js")`],
    ["DNS", () => `process.getBuiltinModule("node:dns").promises.lookup("example.com")`],
  ];

  test.each(doors)("%s gives no access to the network", async (_door, code) => {
    reached.length = 0;
    const host = `127.0.0.1:${portOf(http)}`;
    // Where a door fails later than it is opened, a moment is given to it.
    const attempt = `let outcome; try { outcome = String(await (${code(host, portOf(tcp))})) } catch (error) { outcome = "refused: " + error.message }
      await new Promise((resolve) => setTimeout(resolve, 50)); outcome`;
    await fixture.run({ code: attempt, timeout_ms: 3_000 });
    expect(reached).toEqual([]);
  });

  test("the two servers can be reached from the test itself, so that the tests above are meaningful", async () => {
    reached.length = 0;
    await (await fetch(`http://127.0.0.1:${portOf(http)}/proof`)).text();
    await new Promise((resolve) => connect(portOf(tcp), "127.0.0.1").on("close", resolve).resume());
    expect(reached).toContain("http /proof");
    expect(reached).toContain("tcp connection");
  });
});

describe("globals and modules", () => {
  const walls: [title: string, code: string, value: unknown][] = [
    ["eval", "try { eval('1') } catch (error) { error.name }", "EvalError"],
    ["Function", "try { new Function('return 1')() } catch (error) { error.name }", "EvalError"],
    [
      "the constructor of a function",
      "try { (() => {}).constructor('return 1')() } catch (error) { error.name }",
      "EvalError",
    ],
    [
      "an async constructor",
      "try { (async () => {}).constructor('return 1')() } catch (error) { error.name }",
      "EvalError",
    ],
    [
      "WebAssembly",
      "try { await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) } catch (error) { error.name }",
      "CompileError",
    ],
    [
      "a timer with text",
      "try { setTimeout('globalThis.ran = true', 0) } catch {} await new Promise((resolve) => setTimeout(resolve, 10)); typeof ran",
      "undefined",
    ],
    [
      "cloudflare:workers",
      "try { await import('cloudflare:workers') } catch (error) { error.message.slice(0, 34) }",
      'Cannot import "cloudflare:workers"',
    ],
    [
      "cloudflare:workers by a computed name",
      "try { await import('cloudflare:' + 'workers') } catch (error) { error.message.slice(0, 34) }",
      'Cannot import "cloudflare:workers"',
    ],
    [
      "the harness",
      "const names = []; for (const name of ['./main.js', './intrinsics.js', './calls.js', './code.js', 'main.js']) { try { names.push(Object.keys(await import(name))) } catch (error) { names.push(error.message.slice(0, 13)) } } names",
      Array(5).fill("Cannot import"),
    ],
    [
      "import() with a name that changes",
      "let n = 0; try { await import({ toString: () => (n++ === 0 ? 'node:path' : 'cloudflare:workers') }) } catch (error) { error.message.slice(0, 13) }",
      "Cannot import",
    ],
    [
      "$import",
      "try { await $import('cloudflare:workers') } catch (error) { error.message.slice(0, 13) }",
      "Cannot import",
    ],
    [
      "process.getBuiltinModule",
      `const names = ['cloudflare:workers', 'cloudflare:sockets', 'node:process', 'node:module', 'module', 'node:net', 'node:vm', 'node:worker_threads', 'constructor', '__proto__', ['node:fs'], { toString: () => 'node:path' }];
       names.map((name) => { try { return typeof process.getBuiltinModule(name) } catch (error) { return error.message.slice(0, 11) } })`,
      Array(12).fill("Cannot load"),
    ],
    [
      "process.getBuiltinModule without what the platform has for Node",
      "const p = globalThis['pro' + 'cess']; try { typeof p.getBuiltinModule('cloudflare:workers') } catch (error) { error.message.slice(0, 11) }",
      "Cannot load",
    ],
    [
      "process.getBuiltinModule for what may be imported",
      "[process.getBuiltinModule('node:path').join('a', 'b'), process.getBuiltinModule('util').inspect(1n)]",
      ["a/b", "1n"],
    ],
    [
      "the cache",
      "const scopes = []; for (let scope = globalThis; scope !== null; scope = Object.getPrototypeOf(scope)) scopes.push(typeof scope.caches, Object.hasOwn(scope, 'caches')); [...new Set(scopes)]",
      ["undefined", false],
    ],
    ["process.env", "[typeof process, JSON.stringify(process.env)]", ["object", "{}"]],
    [
      "files of the host",
      "try { process.getBuiltinModule('node:fs').readFileSync('/etc/passwd', 'utf8') } catch (error) { error.message.slice(0, 21) }",
      'Cannot load "node:fs"',
    ],
    [
      "commands of the host",
      "try { process.getBuiltinModule('node:child_process').execSync('id') } catch (error) { typeof error.message }",
      "string",
    ],
    [
      "bindings among the globals",
      "Object.getOwnPropertyNames(globalThis).filter((name) => /loader|env$|secret|token|binding/i.test(name))",
      [],
    ],
    [
      "the caller of a function",
      "function look() { try { return String(look.caller) } catch (error) { return error.name } } look()",
      "TypeError",
    ],
    [
      "arguments.callee",
      "(function () { try { return arguments.callee.caller } catch (error) { return error.name } })()",
      "TypeError",
    ],
    [
      "frames of a stack",
      "Error.prepareStackTrace = (_, frames) => frames.map((frame) => [typeof frame.getThis(), typeof frame.getFunction()]).flat().filter((type) => type !== 'undefined'); const found = new Error().stack; found",
      [],
    ],
  ];
  test.each(walls)("%s gives no access", async (_title, code, value) => {
    const answer = await fixture.run({ code });
    expect(answer.error).toBeUndefined();
    expect(answer.value).toEqual(value);
  });

  test("no secret of the deployment is anywhere in the isolate", async () => {
    const code = `const seen = new Set(); let found = 0; let looked = 0;
      const stack = [globalThis, sandbox, state, help, console, input, $import, $thrown, process, new Error().stack];
      while (stack.length > 0 && looked < 200_000) {
        const value = stack.pop();
        looked += 1;
        if (typeof value === "string" && value.includes("secret-of")) found += 1;
        if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) { try { stack.push(value[key]) } catch {} }
        try { stack.push(Object.getPrototypeOf(value)) } catch {}
      }
      [found, looked > 1_000]`;
    expect((await fixture.run({ code })).value).toEqual([0, true]);
  });
});

describe("the host", () => {
  test("its stub is never visible to code", async () => {
    const code = `const stubs = [];
      const { apply } = Reflect; const { toString } = Object.prototype;
      const look = (value) => { if (apply(toString, value, []) === "[object JsRpcStub]") stubs[stubs.length] = value };
      Reflect.apply = (f, self, args) => { look(f); look(self); for (let i = 0; i < args.length; i++) look(args[i]); return apply(f, self, args) };
      Function.prototype.call = function (self, ...args) { look(self); return apply(this, self, args) };
      Function.prototype.apply = function (self, args) { look(self); return apply(this, self, args ?? []) };
      Promise.prototype.then = ((then) => function (...args) { look(this); return apply(then, this, args) })(Promise.prototype.then);
      globalThis.Proxy = globalThis.Map = globalThis.Promise = function () { throw new Error("replaced") };
      Object.defineProperty(Object.prototype, "call", { get() { look(this); return undefined }, configurable: true });
      Object.defineProperty(Object.prototype, "then", { get() { look(this); return undefined }, configurable: true });
      await state.get("k"); await help();
      delete Object.prototype.call; delete Object.prototype.then;
      stubs.length`;
    const { value, error } = await fixture.run({ code });
    expect({ value, error }).toEqual({ value: 0, error: undefined });
  });

  test("the names of its methods and helpers are not provider methods", async () => {
    const code = `const outcomes = {};
      for (const name of ["call", "constructor", "dup", "onRpcBroken", "log", "#counted", "toString", "hasOwnProperty"]) {
        try { const method = sandbox[name]; outcomes[name] = typeof method === "function" ? await method({}) : typeof method } catch (error) { outcomes[name] = error.reason }
      }
      outcomes`;
    expect((await fixture.run({ code })).value).toEqual({
      call: "not_granted",
      constructor: "undefined",
      dup: "not_granted",
      onRpcBroken: "not_granted",
      log: "not_granted",
      "#counted": "not_granted",
      toString: "not_granted",
      hasOwnProperty: "not_granted",
    });
  });

  test("another principal's sandbox cannot be addressed", async () => {
    await fixture.run(
      { code: 'await sandbox.writeFile("mine.txt", "ann\'s"); await state.set("mine", 1)' },
      { principal: "ann" },
    );
    const code = `const outcomes = [];
      for (const options of [{ path: "mine.txt" }, { path: "mine.txt", sandbox: "default" }, { path: "mine.txt", principal: "ann" }, { path: "../ann/default/mine.txt" }]) {
        try { outcomes.push(await sandbox.readFile(options)) } catch (error) { outcomes.push(error.reason) }
      }
      [outcomes, (await state.get("mine")) ?? "nothing"]`;
    expect((await fixture.run({ code, sandbox: "default" }, { principal: "eve" })).value).toEqual([
      ["no_such_path", "invalid_request", "invalid_request", "no_such_path"],
      "nothing",
    ]);
    const { isError, text } = await fixture.run({ code: "1", sandbox: "../ann/default" }, { principal: "eve" });
    expect([isError, text]).toEqual([true, expect.stringContaining('"sandbox"')]);
  });
});

describe("the harness", () => {
  const rest =
    "\nawait state.set('still', 1); console.log('logged'); ({ a: [1, 'x', { b: null }], still: await state.get('still') })";
  const whole = { a: [1, "x", { b: null }], still: 1 };
  const pollutions: [title: string, code: string][] = [
    [
      "every global is replaced",
      "for (const name of Object.getOwnPropertyNames(globalThis)) { if (!['sandbox', 'state', 'console', 'globalThis', 'undefined', 'NaN', 'Infinity'].includes(name)) try { globalThis[name] = () => { throw new Error('replaced') } } catch {} }",
    ],
    ["JSON is replaced", "JSON.stringify = () => '\"forged\"'; JSON.parse = () => 'forged';"],
    [
      "Array methods throw",
      "for (const name of ['push', 'map', 'slice', 'join', 'concat', 'forEach', 'filter', 'flat', 'indexOf', 'includes']) Array.prototype[name] = () => { throw new Error(name) };",
    ],
    [
      "iteration throws",
      "Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = String.prototype[Symbol.iterator] = () => { throw new Error('iterated') };",
    ],
    [
      "Map and Set methods throw",
      "for (const name of ['get', 'set', 'has', 'delete', 'forEach', 'add']) { Map.prototype[name] = Set.prototype[name] = () => { throw new Error(name) } }",
    ],
    [
      "String methods throw",
      "for (const name of ['slice', 'replace', 'startsWith', 'split', 'includes', 'indexOf', 'toString', 'valueOf']) String.prototype[name] = () => { throw new Error(name) };",
    ],
    [
      "Object functions are replaced",
      "for (const name of ['keys', 'entries', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'defineProperty', 'create', 'is', 'hasOwn', 'assign', 'freeze']) Object[name] = () => { throw new Error(name) };",
    ],
    [
      "Reflect is replaced",
      "for (const name of ['apply', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'construct', 'get', 'set']) Reflect[name] = () => { throw new Error(name) };",
    ],
    ["toJSON is everywhere", "Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = undefined;"],
    [
      "indexes of lists are set by a trap",
      "Object.defineProperty(Array.prototype, '0', { set() { throw new Error('set') }, configurable: true });",
    ],
    [
      "promises are replaced",
      "Promise.prototype.then = Promise.prototype.catch = Promise.prototype.finally = () => { throw new Error('then') }; Promise.resolve = Promise.all = () => { throw new Error('all') }; globalThis.Promise = class {};",
    ],
    [
      "the constructor of promises is replaced",
      "try { Promise.prototype.constructor = class {} } catch {} try { Object.defineProperty(Promise.prototype, 'constructor', { value: class {} }) } catch {}",
    ],
    [
      "Error is replaced",
      "Error.prepareStackTrace = () => { throw new Error('stack') }; Error.captureStackTrace = () => { throw new Error('capture') }; globalThis.Error = class {}; Error.stackTraceLimit = 0;",
    ],
    [
      "species lie",
      "for (const C of [Array, Promise, Map, Set, RegExp, ArrayBuffer]) try { Object.defineProperty(C, Symbol.species, { get() { throw new Error('species') } }) } catch {}",
    ],
    [
      "RegExp and Date lie",
      "RegExp.prototype.exec = RegExp.prototype.test = () => { throw new Error('exec') }; Date.now = () => Infinity; Date.prototype.toISOString = () => 'forged';",
    ],
    [
      "Function.prototype is replaced",
      "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error('call') };",
    ],
    [
      "timers are gone",
      "globalThis.setTimeout = globalThis.setInterval = globalThis.queueMicrotask = globalThis.scheduler = undefined;",
    ],
    [
      "Object.prototype has fields of the answer",
      "Object.prototype.error = { is_error: true, class: 'Forged', message: 'forged', stack: '', tree: null }; Object.prototype.value = 'forged'; Object.prototype.ok = false; Object.prototype.reason = 'forged';",
    ],
    [
      "symbols are defined on Object.prototype",
      "Object.prototype[Symbol.toPrimitive] = () => { throw new Error('primitive') }; Object.prototype[Symbol.toStringTag] = 'Forged'; Object.prototype[Symbol.dispose ?? Symbol()] = () => { throw new Error('dispose') };",
    ],
  ];
  test.each(pollutions)("the answer is complete when %s", async (_title, code) => {
    const { value, error, logs } = await fixture.run({ code: code + rest, timeout_ms: 5_000 });
    expect(error).toBeUndefined();
    expect({ value, logs }).toEqual({ value: whole, logs: "logged" });
  });

  test("then on every object blocks only the code itself, until its deadline at most", async () => {
    const code = "Object.prototype.then = function () {}; ({ a: 1 })";
    const { error } = await fixture.run({ code, timeout_ms: 500 });
    expect(["Hung", "Timeout"]).toContain(error?.name);
    expect((await fixture.run({ code: "1" })).value).toBe(1);
  });

  test("code cannot forge calls, notices or the place of an error", async () => {
    const code = `globalThis.$thrown = () => "forged"; try { $thrown = 1 } catch {}
      const error = new Error("made up"); error.stack = "Error: made up\\n at code.js:999999:1"; error.reason = "x".repeat(5_000); error.name = { toString() { throw 1 } };
      throw error`;
    const { error, calls, notice } = await fixture.run({ code });
    expect(error?.name).toBe("TypeError");
    expect([calls, notice]).toEqual([[], undefined]);
  });

  test("each run has a fresh isolate", async () => {
    await fixture.run({
      code: "globalThis.left = 1; Array.prototype.left = 2; state.left = 3; setTimeout(() => {}, 10_000)",
    });
    expect((await fixture.run({ code: "[typeof globalThis.left, typeof [].left]" })).value).toEqual([
      "undefined",
      "undefined",
    ]);
  });
});

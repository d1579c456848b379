// What a script run by `report-run execute-code` finds in place before its first line: an uncaught
// error is also written to CODE_REPORT as JSON, and ES modules may call require().
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");
const { pathToFileURL } = require("node:url");

const report = process.env.CODE_REPORT;
const script = process.argv[1] ? path.resolve(process.argv[1]) : "";
const NETWORK = new Set(["connect", "getaddrinfo", "socket", "bind", "listen", "queryA"]);

function write(known) {
  try {
    fs.writeFileSync(report, JSON.stringify(known));
  } catch {
    // a script that filled the disk still gets its stack on stderr
  }
}

/** The first place in the script that the stack names: `script.js:LINE`. */
function lineOf(stack) {
  for (const name of [pathToFileURL(script).href, script]) {
    const at = stack.indexOf(`${name}:`);
    if (at >= 0) {
      const line = Number.parseInt(stack.slice(at + name.length + 1), 10);
      if (Number.isInteger(line)) return line;
    }
  }
  return null;
}

/** The package that an import or require did not find. */
function moduleOf(error) {
  if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(error?.code)) return null;
  const named = String(error.message).split("'")[1] ?? "";
  if (/^[./]|^[a-z]+:/.test(named)) return null;
  return named.split("/", named.startsWith("@") ? 2 : 1).join("/");
}

function causes(error) {
  const chain = [];
  const todo = [error];
  while (todo.length && chain.length < 20) {
    const one = todo.shift();
    if (!one || typeof one !== "object" || chain.includes(one)) continue;
    chain.push(one);
    todo.push(one.cause, ...(Array.isArray(one.errors) ? one.errors : []));
  }
  return chain;
}

if (report && script) {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < 20) {
    write({ name: "NodeVersion", message: process.versions.node });
    process.exit(1);
  }
  process.on("uncaughtExceptionMonitor", (error) => {
    const isError = error instanceof Error || typeof error?.stack === "string";
    write({
      name: isError ? String(error.name) : "Error",
      message: (isError ? String(error.message) : String(error)).slice(0, 2000),
      line: isError ? lineOf(String(error.stack)) : null,
      module: moduleOf(error),
      code: typeof error?.code === "string" ? error.code : null,
      network: causes(error).some((one) => NETWORK.has(one.syscall)),
    });
  });
  // In a CommonJS script its own `require` hides this one.
  globalThis.require = createRequire(script);
}

// What bin/hearth starts in a checkout: brings dist/ up to date, and runs it in the same process.
import { buildIfStale } from "./build-if-stale.mjs"

const code = buildIfStale()
if (code === 0) await import("../dist/main.js")
else process.exitCode = code

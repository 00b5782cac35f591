import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Kept beside the packages, where only this program writes. Where it can't be kept, the program only starts more slowly.
enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "hearth"))

const { runCommandLine } = await import("./program.ts")
const { processTerminal } = await import("./terminal.ts")

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal(), process.env)

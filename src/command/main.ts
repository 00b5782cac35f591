import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Stored beside the packages, where no other user can write. If it can't be stored the program only starts more slowly.
enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "hearth"))

const { runCommandLine } = await import("./program.ts")
const { processTerminal } = await import("./terminal.ts")

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal(), process.env)

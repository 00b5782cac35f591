import { runCommandLine } from "./command/program.ts"
import { processTerminal } from "./command/terminal.ts"

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal(), process.env)

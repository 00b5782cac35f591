import "./modules.ts"

const { runCommandLine } = await import("./program.ts")
const { processTerminal } = await import("./terminal.ts")

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal(), process.env)

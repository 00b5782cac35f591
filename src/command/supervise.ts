import { openSupervisor, type SupervisorOptions } from "../supervisor/supervisor.ts"
import { DONE, type ExitCode, FAILED, REFUSED } from "./failure.ts"
import { onSignals } from "./signals.ts"
import type { Terminal } from "./terminal.ts"

/** Supervises the processes of a server until they have ended. */
export async function supervise(terminal: Terminal, workers: Omit<SupervisorOptions, "say">): Promise<ExitCode> {
  const supervisor = openSupervisor({ ...workers, say: terminal.say })
  const hangUp = terminal.attended ? supervisor.stop : supervisor.replace
  const forget = onSignals({ stop: supervisor.stop, stopNow: supervisor.kill, hangUp })
  try {
    const code = await supervisor.ended
    return code === DONE || code === REFUSED ? code : FAILED
  } finally {
    forget()
  }
}

/** Free ports for tests of servers that must be told theirs. */
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/** Below those that the system gives to connections (from 32768 on Linux): it would give a free one away before the server takes it. */
const [LOWEST, HIGHEST] = [10_000, 32_000]

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    const probe = createServer()
    try {
      await once(probe.listen(port, "127.0.0.1"), "listening")
      return port
    } catch {
      // Someone else has it.
    } finally {
      await new Promise((resolve) => probe.close(resolve))
    }
  }
}

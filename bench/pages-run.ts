import { closeDatabases } from "./database.ts"
import { pageFigures, shareOfPages, viewFigures } from "./pages.ts"
import { startServer } from "./server.ts"
import { makeBusy } from "./spread.ts"

/** Prints the figures of pages, each with its goal: `npm run bench:pages`, with `-- --postgres` on PostgreSQL. Takes some three minutes. */

const line = (what: string, figure: string, goal: string, met: boolean): void =>
  console.log(`${met ? "  ok " : "SHORT"}  ${what.padEnd(44)} ${figure.padEnd(48)} goal ${goal}`)

const server = await startServer()
try {
  await makeBusy(server)
  const share = await shareOfPages()
  line("modules of pages", `${share.milliseconds.toFixed(0)} ms of the start`, "≤ 50 ms", share.milliseconds <= 50)
  line("modules of pages", `${share.mebibytes.toFixed(1)} MiB of memory`, "≤ 15 MB", share.mebibytes * 1.048576 <= 15)
  for (const { what, firstByte, goalMs, bytes, goalBytes } of await viewFigures(server)) {
    const figure = `first byte ${firstByte.toFixed(1)} ms, ${(bytes / 1000).toFixed(1)} kB`
    line(what, figure, `≤ ${goalMs} ms, ≤ ${goalBytes / 1000} kB`, firstByte <= goalMs && bytes <= goalBytes)
  }
  for (const [what, { load, firstByte, processorMs }] of await pageFigures(server)) {
    const figure = `${Math.round(load.perSecond)}/s, p99 ${load.p99} ms, ${processorMs.toFixed(2)} ms CPU each`
    line(`${what}, spread, writes in between`, figure, "≥ 400/s", load.perSecond >= 400)
    line(`${what}, first byte after a write`, `median ${firstByte.toFixed(1)} ms`, "≤ 20 ms", firstByte <= 20)
  }
} finally {
  await server.stop()
  await closeDatabases()
}

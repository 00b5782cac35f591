import type { Writable } from "node:stream"
import { writeAll } from "./bytes.ts"
import { band, flushPacket, packet, sideBand } from "./pktline.ts"

/** How one command ended, for the client. */
export interface ReportLine {
  readonly name: string
  readonly refused: string | null
}

/** The way back to a client that pushes. */
export interface PushClient {
  /** Passes on what git says while it works. */
  readonly progress: ((chunk: Buffer) => void) | undefined
  /** Begins to fill long silences. To be called once all input is here: before that the client is not listening yet. */
  keepAlive(): void
  /** Shows lines to the person. */
  say(lines: readonly string[]): Promise<void>
  /** Tells the client how its push ended, and ends the answer. */
  report(unpackError: string | null, lines: readonly ReportLine[]): Promise<void>
  /** Must be called at the end, whatever happened. */
  close(): void
}

/** Proxies cut connections that stay silent; git's own receive-pack speaks every five seconds. */
const keepAliveMs = 5_000

/** One line, whatever was in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const oneLine = (text: string) => text.replace(/[\x00-\x1f\x7f]+/g, " ")

/** Opens the way back to a client, as its capabilities allow. `hide` is taken out of what git says: the path of the repository. */
export function openPushClient(output: Writable, capabilities: ReadonlySet<string>, hide: string, silenceMs = keepAliveMs): PushClient {
  const hasSideBand = capabilities.has("side-band-64k")
  const wantsReport = capabilities.has("report-status") || capabilities.has("report-status-v2")
  let timer: NodeJS.Timeout | undefined

  function keepAlive(): void {
    timer ??= setInterval(() => {
      if (hasSideBand && output.writable && !output.writableNeedDrain) output.write(sideBand(band.data, ""))
    }, silenceMs)
  }

  function progress(chunk: Buffer): void {
    // Progress is worth nothing later: what does not fit is dropped.
    if (output.writable && !output.writableNeedDrain) output.write(sideBand(band.progress, chunk.toString("utf8").replaceAll(hide, "")))
  }

  async function say(lines: readonly string[]): Promise<void> {
    if (!hasSideBand || lines.length === 0) return
    await writeAll(output, sideBand(band.progress, `${lines.map(oneLine).join("\n")}\n`))
  }

  async function report(unpackError: string | null, lines: readonly ReportLine[]): Promise<void> {
    clearInterval(timer)
    const status = Buffer.concat([
      packet(`unpack ${unpackError === null ? "ok" : oneLine(unpackError)}\n`),
      ...lines.map(({ name, refused }) => packet(refused === null ? `ok ${name}\n` : `ng ${name} ${oneLine(refused)}\n`)),
      flushPacket,
    ])
    if (wantsReport) await writeAll(output, hasSideBand ? sideBand(band.data, status) : status)
    if (hasSideBand) await writeAll(output, flushPacket)
    output.end()
  }

  return {
    progress: hasSideBand && !capabilities.has("quiet") ? progress : undefined,
    keepAlive,
    say,
    report,
    close: () => clearInterval(timer),
  }
}

import type { Writable } from "node:stream"
import { writeAll } from "../process/bytes.ts"
import { band, flushPacket, packet, sideBand } from "./pktline.ts"
import type { WrittenRef } from "./push.ts"

/** The result of one command, for the client. */
export interface ReportLine {
  readonly name: string
  readonly refused: string | null
  /** Set if another reference was written in its place. */
  readonly written?: WrittenRef | undefined
}

/** The answer to a client that pushes. */
export interface PushClient {
  /** Forwards git's progress messages. */
  readonly progress: ((chunk: Buffer) => void) | undefined
  /** Starts sending keep-alive packets. To be called once all input has arrived: before that the client doesn't read. */
  keepAlive(): void
  /** Shows lines to the pusher. */
  say(lines: readonly string[]): Promise<void>
  /** Reports the result of the push to the client, and ends the answer. */
  report(unpackError: string | null, lines: readonly ReportLine[]): Promise<void>
  /** Must be called at the end, also after an error. */
  close(): void
}

/** Proxies close idle connections; git's own receive-pack sends a packet every five seconds. */
const keepAliveMs = 5_000

/** A text as one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const oneLine = (text: string) => text.replace(/[\x00-\x1f\x7f]+/g, " ")

/** What tells a client which reference was written in place of the one that it named. */
const optionLines = ({ ref, oldId, newId, forced }: WrittenRef): readonly Buffer[] =>
  [`refname ${ref}`, `old-oid ${oldId ?? "0".repeat(newId.length)}`, `new-oid ${newId}`, ...(forced ? ["forced-update"] : [])].map(
    (option) => packet(`option ${option}\n`),
  )

/** Opens the answer to a client, according to its capabilities. `hide` is removed from git's messages: the path of the repository. */
export function openPushClient(output: Writable, capabilities: ReadonlySet<string>, hide: string, silenceMs = keepAliveMs): PushClient {
  const hasSideBand = capabilities.has("side-band-64k")
  const hasOptions = capabilities.has("report-status-v2")
  const wantsReport = capabilities.has("report-status") || hasOptions
  let timer: NodeJS.Timeout | undefined

  function keepAlive(): void {
    timer ??= setInterval(() => {
      if (hasSideBand && output.writable && !output.writableNeedDrain) output.write(sideBand(band.data, ""))
    }, silenceMs)
  }

  function progress(chunk: Buffer): void {
    // Late progress messages are useless: those that don't fit the buffer are dropped.
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
      ...lines.flatMap(({ name, refused, written }) =>
        refused === null
          ? [packet(`ok ${name}\n`), ...(written && hasOptions ? optionLines(written) : [])]
          : [packet(`ng ${name} ${oneLine(refused)}\n`)],
      ),
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

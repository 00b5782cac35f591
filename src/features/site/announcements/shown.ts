import { hash } from "node:crypto"
import type { Database, Transaction } from "../../../core/database/database.ts"
import { messageOf } from "../../../core/database/failures.ts"
import { type Html, html, trusted } from "../../../core/html.ts"
import { forPage } from "../../../core/markup/for-page.ts"
import { renderMarkdown } from "../../../core/markup/markup.ts"
import type { Services } from "../../../core/services.ts"
import { type AnnouncementRow, findAnnouncements } from "./store.ts"

declare module "../../../core/services.ts" {
  interface Services {
    readonly announcements: Announcements
  }
}

/** A sentence of administrators, as pages show it. */
export interface Announced {
  /** Names it, as it is now. */
  readonly mark: string
  readonly tone: "info" | "good" | "warn" | "bad"
  readonly content: Html
}

/** What is on top of every page, kept in memory. */
export interface Announcements {
  /** Those of this moment, without the dismissed ones. */
  readonly shown: (isSignedIn: boolean, dismissed: readonly string[]) => readonly Announced[]
  /** The marks of all that there are. */
  readonly marks: () => readonly string[]
  /** Reads them again; other processes do so by themselves. */
  readonly reload: () => Promise<void>
  /** Reads them, and from now on each time that they have changed. */
  readonly begin: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * The announcements that pages show, rendered and in memory, so that no page asks the database for them. A change is told to all processes, each of
 * which reads them again.
 */

const CHANNEL = "hearth_announcements"

/** Has all processes read the announcements again, once the transaction is committed. */
export const announceChange = (database: Database, tx: Transaction): Promise<void> => database.notify(CHANNEL, "", tx)

interface Held extends Announced {
  readonly row: AnnouncementRow
}

type Needed = Pick<Services, "config" | "database" | "log" | "now" | "secrets" | "site">

export function openAnnouncements(services: Needed): Announcements {
  const { database, log, now } = services
  let held: readonly Held[] = []
  let stop = async (): Promise<void> => {}
  /** Reads one after the other: the last one to begin has the last word. */
  let reading: Promise<void> = Promise.resolve()
  /** They could not be read: the next page tries again. */
  let isStale = false

  function reload(): Promise<void> {
    isStale = false
    reading = reading.then(read).catch((error: unknown) => {
      isStale = true
      log.warn({ reason: messageOf(error) }, "the announcements can't be read; pages show those of before")
    })
    return reading
  }

  async function read(): Promise<void> {
    const rows = await findAnnouncements(database.read)
    const known = new Map(held.map(({ mark, content }) => [mark, content]))
    held = await Promise.all(
      rows.map(async (row) => {
        const mark = markOf(row)
        return { row, mark, tone: row.tone, content: known.get(mark) ?? (await rendered(services, row)) }
      }),
    )
  }

  return {
    reload,
    shown(isSignedIn, dismissed) {
      if (isStale) void reload()
      if (held.length === 0) return []
      const at = now()
      return held.filter(
        ({ mark, row }) =>
          row.starts_at <= at &&
          (row.ends_at === 0 || at < row.ends_at) &&
          (isSignedIn || row.audience === "everybody") &&
          !dismissed.includes(mark),
      )
    },
    marks: () => held.map(({ mark }) => mark),
    async begin() {
      stop = await database.listen(CHANNEL, () => void reload())
      await reload()
    },
    async close() {
      await stop()
      await reading
    },
  }
}

/** Another one for each text: who has dismissed a text has not dismissed the next. */
const markOf = ({ id, content, tone }: AnnouncementRow): string => `${id}.${hash("sha256", `${tone} ${content}`).slice(0, 8)}`

/** A text of no one in particular: what it mentions is not looked up. */
export async function rendered(services: Pick<Services, "config" | "secrets" | "site">, { content }: Pick<AnnouncementRow, "content">) {
  const { rootUrl } = services.site
  const links = { pages: rootUrl, media: rootUrl, folder: "" }
  return html`
    <div class="prose" dir="auto">
      ${trusted(await renderMarkdown(content, { ...forPage(services), style: "comment", rootUrl, links }))}
    </div>
  `
}

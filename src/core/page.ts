import type { Actor } from "./actor.ts"
import { requireBounded } from "./bounds.ts"
import type { Download } from "./download.ts"
import { Refusal } from "./errors.ts"
import type { Html } from "./html.ts"
import type { Text } from "./language/message.ts"
import {
  type Access,
  type AccessRule,
  declaredOnce,
  type Page as ListPage,
  type Operation,
  type PathOf,
  pathNumber,
  type Request,
  type ScopeCategory,
} from "./operation.ts"
import Type, { type Static, type TObject, type TProperties } from "./schema.ts"
import type { Upload, UploadForm } from "./upload.ts"

/**
 * Pages for people, declared as operations are: the address, who may see it, what it takes, and the function that loads and shows it. The routes,
 * the permission matrix, odd input, metrics and the list of addresses are derived from the records.
 */

/** What browsers keep of this site besides a session, each under a name of its own. */
export interface Kept {
  /** The theme that was chosen. */
  readonly theme: string
  /** How differences are shown. */
  readonly diffs: string
  /** The announcements that were dismissed. */
  readonly dismissed: string
  /** The name of who signed in last: what was typed as one person is not sent as another. */
  readonly person: string
  /** A sealed step of a sign-in, so that no one else's answer of another provider is taken for theirs. */
  readonly step: string
}

interface Keeping {
  readonly session?: SessionText | "ended"
  /** What the browser keeps from now on; it forgets what is undefined here. */
  readonly keeps?: { readonly [Name in keyof Kept]?: string | undefined }
}

/** A whole page. */
export interface Shown extends Keeping {
  readonly kind: "shown"
  /** 200 unless said otherwise. */
  readonly status?: number
  /** What the page is about, without the name of the site: `#12 Crash · annw/repo`. */
  readonly title: Text
  readonly body: Html
  /** What follows the body as it is made, for what is long; the page is not cached then. */
  readonly rest?: AsyncIterable<Html>
  /** Modules of `src/web/browser/` that the page needs besides `page`. */
  readonly modules?: readonly string[]
  /** The path of a feed of what the page shows. */
  readonly feed?: string
  /** The path under which the page is to be known to search engines, where that is not the requested one. */
  readonly canonical?: string
  /** The path of the search of what the page is about, such as a repository, which is searched from the head of the page. */
  readonly searchesIn?: string
  /** The path of the form for a new issue, on the pages of a repository in which one can be opened. */
  readonly newIssue?: string
  /** For search engines: not to be listed. */
  readonly unlisted?: boolean
  /** Elements for the document's head. */
  readonly head?: Html
  /** `narrow` for a few sentences or a form; without it, the page has the width of all others. */
  readonly width?: "narrow"
  /** Holds a secret that is shown once: no one stores it. */
  readonly isPrivate?: boolean
  /** What it shows is still being found, and its script asks again: it is not cached. */
  readonly isUnfinished?: boolean
  /** Where the answer to a form of the page may lead, besides this site. */
  readonly formTargets?: readonly string[]
  /** After how many seconds it can be tried again, where that is known. */
  readonly retryAfter?: number
}

/** The text of a session that the browser is to keep in place of the one until now. */
export interface SessionText {
  readonly text: string
  /** Whether it is kept when the browser is closed. */
  readonly isRemembered: boolean
}

/** A redirect to a path of this site. 303 unless said otherwise. */
export interface Moved extends Keeping {
  readonly kind: "moved"
  readonly to: string
  readonly status?: 302 | 303 | 307 | 308
  /** A sentence that the next page shows. */
  readonly flash?: Text
  /** Beside the sentence: what takes it back. */
  readonly undo?: Undo
  /** Leads to confirming who one is: a form is held by the page that asks, and goes on afterwards. */
  readonly asksToConfirm?: true
}

/** A redirect to an address of another site, which an application or the provider of a sign-in has registered. */
export interface Away extends Keeping {
  readonly kind: "away"
  readonly to: string
}

/** The opposite of what was done, as a form that is sent by a button. */
export interface Undo {
  /** The id of the form; the page that offers it names it in `undoneBy`. */
  readonly form: string
  /** The values of its path. */
  readonly path: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string | readonly string[]>>
}

/** Something else than a page: a feed, a patch, bytes. */
export interface SentText {
  readonly kind: "text"
  readonly type: string
  /** What is HTML is said in the language of who reads it. */
  readonly body: string | Buffer | Html
  readonly headers?: Readonly<Record<string, string>>
}

/** A file that is made while it is sent, such as a patch. */
export interface SentFile {
  readonly kind: "file"
  readonly file: Download
}

/** What a script on a page is told while it is open. */
export interface PageEvent {
  readonly name: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** Events as they come (`text/event-stream`), until they end, the reader is gone or the server stops. What is refused before the first is the answer. */
export interface SentEvents {
  readonly kind: "events"
  readonly events: (signal: AbortSignal) => AsyncGenerator<PageEvent, void>
}

/** Events that change a page: those that agree with all of these members. */
export interface Topic {
  readonly repositoryId?: number
  /** Of one of these issues or pull requests. */
  readonly issueIds?: ReadonlySet<number>
  /** Of a project, its columns and where its cards are. */
  readonly projectId?: number
  /** What the kinds of the events begin with: one of these, such as `column.`. */
  readonly kinds?: readonly string[]
}

/** The reader's notifications have changed; no event says so. */
export const NOTIFICATIONS = "notifications"

export type Followed = Topic | typeof NOTIFICATIONS

export type PageAnswer = Shown | Moved | Away | SentText | SentFile | SentEvents

export const moved = (to: string, more: Omit<Moved, "kind" | "to"> = {}): Moved => ({ kind: "moved", to, ...more })
export const away = (to: string, more: Keeping = {}): Away => ({ kind: "away", to, ...more })
export const sentText = (type: string, body: string | Buffer | Html, headers: Readonly<Record<string, string>> = {}): SentText => ({
  kind: "text",
  type,
  body,
  headers,
})

export const sentFile = (file: Download): SentFile => ({ kind: "file", file })
export const sentEvents = (events: SentEvents["events"]): SentEvents => ({ kind: "events", events })

/** How the reader wants pages, by their settings or their browser. */
export interface Reader {
  readonly actor: Actor
  /** The requested path with its query. */
  readonly url: string
  readonly requestId: string
  /** The client's address. */
  readonly ip: string
  /** The User-Agent header. */
  readonly agent: string | undefined
  /** The text of the session's cookie. */
  readonly session: string | undefined
  /** How they want differences, as a text: what their browser keeps, else what their account says. */
  readonly diffs: string | undefined
  /** What their browser keeps, not verified. */
  readonly kept: Partial<Kept>
  /** For a form: the path of the page that it stood on; the front page where that is not known. */
  readonly from: string
}

/** What was typed into a form that was refused: the page that it stands on shows it again. */
export interface Draft {
  /** The id of the form. */
  readonly form: string
  /** The values of its path: of several forms with the same id, one was sent. */
  readonly path?: Readonly<Record<string, string>>
  readonly refusal: Refusal
  /** The fields that others have changed meanwhile, and the reader too: what they say now is shown beside what was typed. */
  readonly theirs?: readonly string[]
  /** The values of each field, as texts. */
  readonly typed: Readonly<Record<string, readonly string[]>>
}

type PathValues<Address extends string> = { readonly [Name in PathOf<Address>]: string }

export type PageCall<Address extends string, Found, Fields extends TProperties> = Request &
  Found & {
    readonly path: PathValues<Address> & Readonly<Record<string, string>>
    /** For a page its query, for a form its fields. */
    readonly query: Static<TObject<Fields>>
    readonly page: ListPage
    readonly reader: Reader
    /** Where the page is shown again, because a form on it was refused. */
    readonly draft: Draft | undefined
    /** The file of a form that sends one. */
    readonly upload: Upload | undefined
  }

interface Declared<Address extends string, Found, Fields extends TProperties> {
  /** Unique, `subject.page`: the label in metrics. */
  readonly id: string
  /** GET shows a page and changes nothing; POST is what a form sends. */
  readonly address: `${"GET" | "POST"} ${Address}`
  readonly access: Access<Found>
  /** What the query or the form may hold. A value of a query that can't be read counts as not sent. */
  readonly query?: Fields
  /** The number of rows on one page of a list; 20 unless said otherwise. */
  readonly rows?: number
  /** The page changes without a write, as what reads git or the clock does: it is not cached. */
  readonly changesWithTime?: boolean
  /** What it shows may be a second old, as for an operation. */
  readonly mayBeOld?: true
  /**
   * What happens to the page while it is open: with `live` in its query, the same address is a stream that says when to look again. The view marks
   * what changes, see `web/browser/live.ts`.
   */
  readonly live?: (call: Request & Found & { readonly path: PathValues<Address> }) => readonly Followed[] | Promise<readonly Followed[]>
  /** Programs ask for it and sign in with a header, as to the API: what a token must be allowed to read. To other pages only sessions count. */
  readonly programs?: readonly ScopeCategory[]
  /**
   * What is hidden or missing here leads callers without a session to sign-in, since forms and mails hand its address out. Pages that only people who
   * have signed in may see do so in any case.
   */
  readonly asksToSignIn?: true
  /**
   * A step of a sign-in, what a mail leads to, and the like: answered also where a site shows nothing before a sign-in. No one keeps its answers, no other
   * site is told of its address, and its form asks for no sign-in in place.
   */
  readonly beforeSignIn?: true
  /** Also for people who can do nothing else until they have the second factor that they need; by default pages before the sign-in. */
  readonly withoutFactor?: boolean
  /** For a form: pages of other sites may send it, as nothing depends on what a browser adds by itself. */
  readonly fromAnySite?: true
  /** For a form: the most bytes that it may hold, 64 KiB unless said otherwise. */
  readonly bytes?: number
  /** For a form: sent twice by accident, it is done once. */
  readonly once?: boolean
  /** For a form that sends a file, as its `upload`: how. */
  readonly receives?: UploadForm
  /** For a form: the ids of those that its answers may offer to take it back. */
  readonly undoneBy?: readonly string[]
  /** For a form: the page that shows it again, with what was typed, when `answer` refuses it. */
  readonly again?: (call: PageCall<Address, Found, Fields>, refusal: Refusal) => Promise<Shown> | Shown
  readonly answer: (call: PageCall<Address, Found, Fields>) => Promise<PageAnswer> | PageAnswer
}

/** A page or a form for the server, documents and tests: one immutable record. */
export interface Page {
  readonly id: string
  readonly method: "GET" | "POST"
  /** With {names}. */
  readonly address: string
  readonly rule: AccessRule
  readonly query: TObject
  readonly rows: number
  readonly changesWithTime: boolean
  readonly mayBeOld: boolean
  /** Decides about access again, and gives what may happen to the page while it is open. Absent where the page is not followed. */
  readonly live?: (request: Request) => Promise<readonly Followed[]>
  /** The operation that a form calls; see `forms/form.ts`. */
  readonly does?: Operation
  /** For a form: the most bytes that it may hold. */
  readonly bytes: number
  /** For a form: it is done once, however often it is sent within a short time. */
  readonly once?: boolean
  /** For a form: fields that two people can change at once; see `forms/guards.ts`. */
  readonly guards?: readonly string[]
  /** For a form: those that its answers may offer to take it back. */
  readonly undoneBy?: readonly string[]
  /** For a form that sends a file: how. */
  readonly upload?: UploadForm
  readonly programs?: readonly ScopeCategory[]
  /** What is hidden or missing here leads callers without a session to sign-in. */
  readonly asksToSignIn?: true
  readonly beforeSignIn?: true
  readonly withoutFactor: boolean
  readonly fromAnySite?: true
  /** Finds the subject, decides, and gives the function that answers. */
  readonly open: (request: Request) => Promise<(input: PageInput) => Promise<PageAnswer>>
}

export interface PageInput {
  /** Checked against the declared fields. */
  readonly query: unknown
  readonly page: ListPage
  readonly reader: Reader
  readonly draft?: Draft
  /** The file of a form that sends one. */
  readonly upload?: Upload
  /** A form that was sent for something else, such as attaching files to its text: it does nothing and is shown again, as if it were refused with this. */
  readonly unsent?: Refusal
}

/** What is missing within something that the caller may see: the page that says so has its frame. */
export class MissingWithin extends Refusal {
  readonly page: () => Promise<Shown>

  constructor({ said, field, extra }: Refusal, page: () => Promise<Shown>) {
    super("notFound", said, field, extra)
    this.page = page
  }
}

/** Declares a page or a form. */
export function page<Address extends string, Found extends object, Fields extends TProperties = Record<never, never>>(
  declared: Declared<Address, Found, Fields>,
): Page {
  const [, method, address = ""] = /^(GET|POST) (\/.*)$/.exec(declared.address) ?? []
  const { live } = declared
  const fields = Type.Object(declared.query ?? {})
  if (method !== "GET" && method !== "POST") throw new TypeError(`not the address of a page: ${declared.address}`)
  return {
    id: declared.id,
    method,
    address,
    rule: declared.access.rule,
    query: fields,
    rows: declared.rows ?? 20,
    changesWithTime: declared.changesWithTime ?? false,
    mayBeOld: declared.mayBeOld ?? false,
    ...(live && {
      live: async (request) => {
        const found = await declared.access.open(request)
        // The path was read by the server as the record declares it.
        return live({ ...request, ...found } as Parameters<typeof live>[0])
      },
    }),
    ...(declared.asksToSignIn && { asksToSignIn: true }),
    ...(declared.beforeSignIn && { beforeSignIn: true }),
    withoutFactor: declared.withoutFactor ?? declared.beforeSignIn ?? false,
    ...(declared.fromAnySite && { fromAnySite: true }),
    ...(declared.undoneBy && { undoneBy: declared.undoneBy }),
    ...(declared.programs && { programs: declared.programs }),
    bytes: declared.bytes ?? 65_536,
    ...(declared.once && { once: true }),
    ...(declared.receives && { upload: declared.receives }),
    open: async (request) => {
      const found = await declared.access.open(request)
      return async ({ query, page: rows, reader, draft, upload, unsent }) => {
        // Path and query were read by the server as the record declares them.
        const call = { ...request, ...found, query, page: rows, reader, draft, upload } as PageCall<Address, Found, Fields>
        try {
          if (unsent) throw unsent
          if (method === "POST") requireBounded(fields, query, request.services.config.limits)
          return await declared.answer(call)
        } catch (error) {
          if (!(declared.again && error instanceof Refusal)) throw error
          const { retryAfter = error.retryAfter, ...shown } = await declared.again(call, error)
          const status = shown.status !== undefined && shown.status >= 400 ? shown.status : error.status
          return { ...shown, status, ...(retryAfter !== undefined && { retryAfter }) }
        }
      }
    },
  }
}

/** The number in a path, or 0, which no row has. */
export const numberIn = (path: Readonly<Record<string, string>>, name: string): number => pathNumber(path[name])

/** Combines the features' pages; throws if an id or an address is declared twice. */
export const pageRegistry = (...groups: readonly (readonly Page[])[]): readonly Page[] => declaredOnce(groups.flat())

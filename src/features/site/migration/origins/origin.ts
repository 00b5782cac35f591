import type { Readable } from "node:stream"
import type { Seconds } from "../../../../core/database/tables/index.ts"
import type { RemoteAddress } from "../../../code/mirrors/remote.ts"
import type { Kind, On, Records } from "./model.ts"

/** One bad record: it is named, and the rest goes on. */
export interface Fault {
  readonly key: string
  readonly why: string
}

/** Some records of a kind, and where the next ones begin. */
export interface Batch<K extends Kind> {
  readonly records: readonly Records[K][]
  readonly faults: readonly Fault[]
  /** In the origin's own form; undefined behind the last. */
  readonly next: string | undefined
  /** How many there are in all; null where the server doesn't say. */
  readonly total: number | null
}

/** What a repository there has, for people to choose from before anything is brought. */
export interface Preview {
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly hasWiki: boolean
  readonly hasLargeFiles: boolean
  /** By kind; null where the server doesn't say how many. */
  readonly counts: { readonly [kind in Kind]?: number | null }
}

/** What an address of the other server is about. */
export type Place =
  | ({ readonly kind: "issue"; readonly comment?: string } & On)
  | { readonly kind: "file"; readonly address: string }
  | { readonly kind: "code"; readonly rest: string }

/** The next request would be refused before this moment: the import goes on then. */
export class WaitUntil extends Error {
  override readonly name = "WaitUntil"
  readonly at: Seconds
  constructor(at: Seconds) {
    super("the other server grants no more requests for now")
    this.at = at
  }
}

/** A repository on another server, or in a file that one has exported. Its answers are not trusted. */
export interface Origin {
  /** What identifies the people of that server, such as github.com. */
  readonly host: string
  /** The kinds that it has. */
  readonly kinds: readonly Kind[]
  /** Where git fetches from; undefined where all of git is here already, as of an archive. */
  readonly git: RemoteAddress | undefined
  readonly wiki: RemoteAddress | undefined
  preview(signal: AbortSignal): Promise<Preview>
  /**
   * Records of a kind, from the beginning where `position` is "". With `since`, those that have changed since then are enough. Throws {@link WaitUntil}, and
   * RemoteRefused where another request is of no use, RemoteTrouble where it may succeed later.
   */
  read<K extends Kind>(kind: K, position: string, since: Seconds | undefined, signal: AbortSignal): Promise<Batch<K>>
  /** The headers with which a file of an address is asked for; undefined for an address of elsewhere, which gets no credentials. */
  headersFor(address: string): Readonly<Record<string, string>> | undefined
  /** Opens a file that the origin has itself, as an archive does; undefined where there is none. */
  open?(address: string): Readable | undefined
  /** The name of a file whose address doesn't say it. */
  nameOf?(address: string): string | undefined
  /** A text with whole addresses, where the server has a short form for those of its files. */
  absolute(content: string): string
  /** What a mark before a number names, where issues and pull requests are counted apart. */
  readonly marks?: Readonly<Record<string, "issues" | "pull_requests">>
  /** What an address in a text is about; undefined where it is nothing of this repository. */
  placeOf(address: string): Place | undefined
}

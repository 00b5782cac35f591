import type { Readable } from "node:stream"
import type { OnPackages } from "../../../access/policies/packages.ts"
import type { Actor, SignedIn, User } from "../../../core/actor.ts"
import type { Method } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import type { FileWithBlob, Package, Version } from "./store.ts"

/**
 * What a package tool speaks to: a folder with such a record, and its line in `registries.ts`. The server (`servers/packages`) signs the caller in, finds
 * the owner, asks for the rights, bounds the body and sends the answers; the registry knows its names, its records and its protocol.
 */
export interface Registry {
  /** The name in addresses and in the API. */
  readonly type: string
  readonly routes: readonly Route[]
  /** The body of a refusal, in the form that the tool shows to people; undefined for none. */
  readonly describeRefusal: (refusal: { readonly status: number; readonly message: string }) => RefusalBody | undefined
  /** What the page of a version says besides its files. */
  readonly describe: (version: Described) => Description
  /** The path at which a file is fetched. */
  readonly filePath: (owner: User, names: FileNames) => string
}

export interface FileNames {
  readonly name: string
  readonly version: string
  readonly fileName: string
}

/** A version that is to be described. */
export interface Described {
  readonly site: Site
  readonly owner: User
  readonly of: Package
  readonly version: Version
  readonly files: readonly FileWithBlob[]
}

/** A version as its registry tells of it. The texts are those of its publisher. */
export interface Description {
  /** How it is installed or fetched: commands or lines of a file, with a sentence before each. */
  readonly commands: readonly { readonly title: string; readonly text: string }[]
  readonly summary?: string
  /** Markdown. */
  readonly readme?: string
  /** Why it should not be used. */
  readonly deprecated?: string
  readonly license?: string
  readonly website?: string
  readonly keywords?: readonly string[]
  /** What it needs: names and versions. */
  readonly needs?: readonly { readonly title: string; readonly packages: readonly (readonly [name: string, version: string])[] }[]
}

export interface RefusalBody {
  readonly type: string
  readonly body: string
}

/**
 * How a body comes: collected in memory, within `packages.maxDocumentBytes`; as it arrives; or not at all, so that what is sent is passed over.
 */
export type BodyForm = "document" | "stream" | "none"

export interface Route {
  /** GET answers HEAD as well. */
  readonly method: Method
  /** Below /api/packages/{owner}/{type}, in the router's syntax. */
  readonly path: string
  readonly needs: "read" | "write"
  readonly body: BodyForm
  readonly handle: (call: Call) => Promise<Answer>
}

/** A request whose caller has at least the rights that the route needs. */
export interface Call extends OnPackages {
  readonly services: Services
  readonly actor: Actor
  /** The caller, who has signed in. Refuses `unauthenticated`. */
  readonly signedIn: () => SignedIn
  /** The values of the path's names, without their escapes. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** A header by its name in lower case; a repeated one is left out. */
  readonly header: (name: string) => string | undefined
  /** Empty unless the route takes a document. */
  readonly document: Buffer
  readonly stream: Readable
}

export type Answer =
  | { readonly status: number; readonly record?: unknown; readonly type?: string }
  /** JSON that is written already, of a state that the tag names. */
  | { readonly json: Buffer; readonly tag: string; readonly type: string }
  /** Sent whole, in part, or not at all, as the request asks. */
  | { readonly file: FileWithBlob }

export const empty = (status: number): Answer => ({ status })
export const recordOf = (record: unknown, status = 200): Answer => ({ status, record })

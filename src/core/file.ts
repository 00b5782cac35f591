import type { Download } from "./download.ts"
import { type Access, type AccessRule, declaredOnce, type PathOf, type Request, type ScopeCategory } from "./operation.ts"
import type { Moved } from "./page.ts"
import Type, { type Static, type TObject, type TProperties } from "./schema.ts"

/**
 * Files at addresses of their own, declared as operations and pages are: the address, who may have it, what its query may hold, and the function that
 * gives its bytes. Ranges, entity tags, types, caching and the policy that keeps a file from acting as this site are said once, by what sends them.
 */

interface Declared<Address extends string, Found, Query extends TProperties> {
  /** Unique, `subject.file`: the label in metrics. */
  readonly id: string
  readonly address: `GET ${Address}`
  readonly access: Access<Found>
  /**
   * What a token must be allowed to read. Programs sign in for files with a header, people by the session of their browser. Absent: the file is the same
   * for everyone, and no credentials are looked at.
   */
  readonly programs?: readonly ScopeCategory[]
  readonly query?: Query
  readonly answer: (
    call: Request & Found & { readonly path: Readonly<Record<PathOf<Address>, string>>; readonly query: Static<TObject<Query>> },
  ) => Promise<Download | Moved> | Download | Moved
}

/** A file for the server, documents and tests: one immutable record. */
export interface File {
  readonly id: string
  readonly method: "GET"
  /** With {names}. */
  readonly address: string
  readonly rule: AccessRule
  readonly programs: readonly ScopeCategory[] | undefined
  readonly query: TObject
  /** Finds the subject, decides, and gives the function that answers a query. */
  readonly open: (request: Request) => Promise<(query: unknown) => Promise<Download | Moved>>
}

/** Declares a file. */
export function file<Address extends string, Found extends object, Query extends TProperties = Record<never, never>>(
  declared: Declared<Address, Found, Query>,
): File {
  const { id, address, access, programs, answer } = declared
  return {
    id,
    method: "GET",
    address: address.slice("GET ".length),
    rule: access.rule,
    programs,
    query: Type.Object(declared.query ?? {}),
    open: async (request) => {
      const found = await access.open(request)
      // Path and query were read by the server as the record declares them.
      return async (query) => answer({ ...request, ...found, query } as Parameters<typeof answer>[0])
    },
  }
}

/** Combines the features' files; throws if an id or an address is declared twice. */
export const fileRegistry = (...groups: readonly (readonly File[])[]): readonly File[] => declaredOnce(groups.flat())

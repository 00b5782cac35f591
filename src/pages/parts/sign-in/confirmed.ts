import { type Moved, moved, type Reader } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { findSessionOf, isConfirmed, type Session } from "../../../features/people/sign-in/sessions/sessions.ts"
import { confirmFor } from "../../../web/address.ts"

/** The session of the browser that asks for a page. */
export const sessionOfReader = async (services: Services, { session }: Reader): Promise<Session | undefined> =>
  session === undefined ? undefined : findSessionOf(services, session)

/**
 * The session of who reads a page, if they have shown in the last fifteen minutes what they sign in with; else the way to the page that asks for it,
 * from which they come back to `path`, or which sends a form on. For pages that change what an open browser must not suffice for: tokens, keys, factors, addresses, deletions.
 */
export async function confirmedSession(services: Services, reader: Reader, path: string): Promise<Session | Moved> {
  const session = await sessionOfReader(services, reader)
  return session && isConfirmed(services, session) ? session : moved(confirmFor(path), { asksToConfirm: true })
}

/** The same for the `before` of a form: the way to that page, or undefined where the form may go on. */
export const confirmedFirst =
  (path: string) =>
  async ({ services, reader }: { readonly services: Services; readonly reader: Reader }): Promise<Moved | undefined> => {
    const session = await confirmedSession(services, reader, path)
    return "kind" in session ? session : undefined
  }

import type { OnPackages } from "../../../access/policies/packages.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, titled } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import { findPackage, type Package } from "../../../features/packages/packages/store.ts"
import { path } from "../../../web/address.ts"

/** The frame of the pages of an owner's packages. */
export const ownerPage = (
  { owner }: OnPackages,
  title: Text,
  body: Html,
  more: readonly (readonly [href: string, text: string])[] = [],
): Shown => ({
  kind: "shown",
  title: titled(title, owner.name),
  body: html`
    <nav class="crumbs" aria-label="Path">
      <a class="strong" href="${path(owner.name)}"><bdi>${owner.name}</bdi></a><span class="sep">/</span>
      <a href="${path(owner.name, "-", "packages")}">Packages</a>
      ${more.map(([href, text]) => html`<span class="sep">/</span><a href="${href}"><bdi>${text}</bdi></a>`)}
    </nav>
    ${body}
  `,
})

interface Call extends OnPackages {
  readonly db: Handle
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
}

/** The package of the path's {type} and {package}. Refuses `notFound` what the reader may not see. */
export async function locatePackage({ db, path: { type = "", package: name = "" }, ...asking }: Call): Promise<Package> {
  const of = await findPackage(db, asking, { type, name })
  if (!of) throw refuse.notFound()
  return of
}

/** The newest versions. */
export const SOME_VERSIONS = { number: 1, limit: 8, offset: 0 } as const

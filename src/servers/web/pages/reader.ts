import type { FastifyRequest } from "fastify"
import type { User } from "../../../core/actor.ts"
import type { Kept } from "../../../core/page.ts"
import { ownPath } from "../../../web/address.ts"
import { diffChoices, readDiffChoices, writeDiffChoices } from "../../../web/diff-choices.ts"
import { THEMES, type Theme } from "../../../web/layout.ts"

/** How a reader wants pages: by what their browser keeps, and where it keeps nothing by the settings of the account. */

export const chosenTheme = ({ theme }: Partial<Kept>): Theme | undefined => THEMES.find((each) => each === theme)

/** The theme of a page. That of an account has a name that clients know, which ends in what it is. */
export const themeFor = (kept: Partial<Kept>, user: Pick<User, "theme"> | undefined): Theme =>
  chosenTheme(kept) ?? THEMES.find((each) => user?.theme.endsWith(`-${each}`)) ?? "auto"

/** The text of `Reader.diffs`: undefined where nothing is chosen. */
export function diffsFor({ diffs }: Partial<Kept>, user: Pick<User, "diff_view_style"> | undefined): string | undefined {
  if (diffs !== undefined) return writeDiffChoices(readDiffChoices(diffs))
  return user && user.diff_view_style !== "" ? writeDiffChoices(diffChoices({ style: user.diff_view_style })) : undefined
}

/** The path of the page that a form stood on; the front page where that is not known. */
export function cameFrom({ headers }: FastifyRequest): string {
  const url = URL.parse(String(headers.referer ?? ""))
  return url !== null && url.host === headers.host ? ownPath(url.pathname + url.search) : "/"
}

import type { FastifyRequest } from "fastify"
import type { User } from "../../../core/actor.ts"
import { chosenLanguage, type Language } from "../../../core/language/language.ts"
import { acceptedLanguage } from "../../../core/language/languages.ts"
import { t } from "../../../core/language/message.ts"
import type { Kept } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { findHeaderNews } from "../../../features/events/notifications/header-store.ts"
import type { Session } from "../../../features/people/sign-in/sessions/sessions.ts"
import { ownPath, path } from "../../../web/address.ts"
import { diffChoices, readDiffChoices, writeDiffChoices } from "../../../web/diff-choices.ts"
import { dismissedIn, type Flash, type Surroundings, THEMES, type Theme } from "../../../web/layout.ts"
import { cookieOf, keptBy } from "../../client/cookies.ts"
import { FLASH, flashIn, isNavigation, LONGEST_FLASH } from "./flash.ts"

/** How a reader wants pages: by what their browser keeps, and where it keeps nothing by the settings of the account. */

export const chosenTheme = ({ theme }: Partial<Kept>): Theme | undefined => THEMES.find((each) => each === theme)

/** The theme of a page. That of an account has a name that clients know, which ends in what it is. */
const themeFor = (kept: Partial<Kept>, user: Pick<User, "theme"> | undefined): Theme =>
  chosenTheme(kept) ?? THEMES.find((each) => user?.theme.endsWith(`-${each}`)) ?? "auto"

/** What an answer depends on besides its address. */
export const VARY = t("Cookie, Accept-Language")

/** The language of a page: that of the account, else the first of the browser's that there is. */
export const languageFor = ({ headers }: FastifyRequest, session: Session | undefined): Language =>
  chosenLanguage(session?.user.language ?? "", acceptedLanguage(headers["accept-language"]))

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

/** What surrounds every page. */
export async function surroundings(
  services: Services,
  request: FastifyRequest,
  session: Session | undefined,
  flash?: Flash,
): Promise<Surroundings> {
  const user = session?.user
  const news = user && (await findHeaderNews(services.database.read, user))
  const timer = news?.timer
  const kept = keptBy(services, request)
  return {
    siteName: "Hearth",
    viewer: user,
    unread: news?.unread ?? 0,
    timer: timer && {
      since: timer.since,
      seconds: Math.max(0, services.now() - timer.since),
      title: timer.title,
      issue: `${timer.owner}/${timer.repository}#${timer.number}`,
      path: path(timer.owner, timer.repository, timer.isPull === 1 ? "pulls" : "issues", timer.number),
      back: request.method === "POST" ? cameFrom(request) : request.url,
    },
    theme: themeFor(kept, user),
    language: languageFor(request, session),
    url: request.url,
    mayRegister: services.config.users.registration === "open",
    flash: flash ?? (isNavigation(request) ? flashIn(cookieOf(request, FLASH, LONGEST_FLASH), new Map()) : undefined),
    announcements: services.announcements.shown(user !== undefined, dismissedIn(kept)),
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { User } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import { withQuery } from "../../../web/address.ts"
import { DIFF_CHOICE_NAMES, DIFF_CHOICES_PATH, diffChoices, readDiffChoices, writeDiffChoices } from "../../../web/diff-choices.ts"
import { DISMISS_PATH, THEME_PATH, THEMES, type Theme } from "../../../web/layout.ts"
import { cookiesNamed } from "../../client/cookies.ts"
import { sessionOf } from "../../client/session.ts"
import { leadTo, ownPath } from "../../routing/redirect.ts"
import { FORM, formOf } from "../form.ts"

/**
 * What a browser remembers of how its reader wants pages. It is no secret, and says nothing about who they are. Where it remembers nothing, the settings
 * of the account count.
 */

const THEME = "hearth_theme"
const DIFFS = "hearth_diffs"
const DISMISSED = "hearth_dismissed"
const YEAR = 31_536_000

/** What forms of pages choose: the answer leads back to the page. What everybody has needs no cookie, unless an account may say otherwise. */
export function registerRemembered(app: FastifyInstance, services: Services): void {
  app.post(THEME_PATH, FORM, async (request, reply) => {
    const theme = THEMES.find((each) => each === formOf(request)("theme"))
    const isUsual = theme === "auto" && (await sessionOf(services, request)) === undefined
    return leadTo(remember(reply, THEME, isUsual ? undefined : theme), cameFrom(request))
  })

  app.post(DISMISS_PATH, FORM, async (request, reply) => {
    const there = services.announcements.marks()
    const mark = formOf(request)("mark")
    // What is gone by now need not be remembered.
    const marks = there.filter((each) => each === mark || dismissedBy(request).includes(each))
    return leadTo(remember(reply, DISMISSED, marks.length === 0 ? undefined : marks.join("_")), cameFrom(request))
  })

  app.post(DIFF_CHOICES_PATH, FORM, async (request, reply) => {
    const value = formOf(request)
    if (value("forget") !== "") return leadTo(remember(reply, DIFFS, undefined), cameFrom(request))
    const user = (await sessionOf(services, request))?.user
    const diffs = diffsFor(request, user)
    const sent = DIFF_CHOICE_NAMES.flatMap((name) => (value(name) === "" ? [] : [[name, value(name)] as const]))
    const text = writeDiffChoices(diffChoices({ ...readDiffChoices(diffs), ...Object.fromEntries(sent) }))
    // What the address says would count more than what was chosen just now.
    const chosen = Object.fromEntries(sent.map(([name]) => [name, undefined]))
    const isUsual = user === undefined && text === writeDiffChoices(diffChoices({}))
    return leadTo(remember(reply, DIFFS, isUsual ? undefined : text), withQuery(cameFrom(request), chosen))
  })
}

/** Lets the browser keep a text for a year, or forget what it keeps. */
const remember = (reply: FastifyReply, name: string, text: string | undefined): FastifyReply =>
  reply.header("set-cookie", `${name}=${text ?? ""}; Path=/; Max-Age=${text === undefined ? 0 : YEAR}; HttpOnly; SameSite=Lax`)

/** The marks of the announcements that the browser has dismissed. */
export const dismissedBy = (request: FastifyRequest): readonly string[] => (cookieOf(request, DISMISSED) ?? "").split("_").filter(Boolean)

/** The path of the page that a form stood on; the front page where that is not known. */
export function cameFrom({ headers }: FastifyRequest): string {
  const url = URL.parse(String(headers.referer ?? ""))
  return url !== null && url.host === headers.host ? ownPath(url.pathname + url.search) : "/"
}

/** The theme that the browser keeps, or undefined. */
export const themeOf = (request: FastifyRequest): Theme | undefined => THEMES.find((theme) => theme === cookieOf(request, THEME))

/** The theme of a page. That of an account has a name that clients know, which ends in what it is. */
export const themeFor = (request: FastifyRequest, user: Pick<User, "theme"> | undefined): Theme =>
  themeOf(request) ?? THEMES.find((theme) => user?.theme.endsWith(`-${theme}`)) ?? "auto"

/** The text of `Reader.diffs`: undefined where nothing is chosen. */
export function diffsFor(request: FastifyRequest, user: Pick<User, "diff_view_style"> | undefined): string | undefined {
  const text = cookieOf(request, DIFFS)
  if (text !== undefined) return writeDiffChoices(readDiffChoices(text))
  return user && user.diff_view_style !== "" ? writeDiffChoices(diffChoices({ style: user.diff_view_style })) : undefined
}

export function cookieOf(request: FastifyRequest, name: string, longest = 300): string | undefined {
  const [text] = cookiesNamed(request, name)
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text).slice(0, longest)
  } catch {
    return undefined
  }
}

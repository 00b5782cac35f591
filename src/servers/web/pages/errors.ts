import type { Refusal, RefusalKind } from "../../../core/errors.ts"
import { type Content, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import { filterForm, whyLink } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { sentence } from "../../../web/problem.ts"

/** Pages that say why there is nothing to see, and what to do next. */

const TITLES: Readonly<Partial<Record<RefusalKind, readonly [Text, IconName]>>> = {
  notFound: [t("Page not found"), "telescope"],
  forbidden: [t("Access denied"), "lock"],
  tooMany: [t("Too many requests"), "hourglass"],
  busy: [t("The server is busy"), "hourglass"],
  unavailable: [t("The site is under maintenance"), "tools"],
  uncertain: [t("The site is under maintenance"), "tools"],
  internal: [t("Something went wrong"), "alert"],
  full: [t("The site has run out of disk space"), "alert"],
  damaged: [t("This repository is damaged"), "alert"],
  tooLarge: [t("Too large"), "alert"],
  methodNotAllowed: [t("Method not allowed"), "alert"],
  timeout: [t("Timed out"), "hourglass"],
  conflict: [t("Conflict with another change"), "git-compare"],
  preconditionFailed: [t("Conflict with another change"), "git-compare"],
}

interface About {
  readonly method: string
  readonly url: string
  /** For a form: the path of the page that it stood on. */
  readonly back: string
  readonly requestId: string
  readonly isSignedIn: boolean
}

/** What may go away by itself. */
const PASSING: ReadonlySet<RefusalKind> = new Set(["tooMany", "busy", "unavailable", "internal", "timeout"])

export function errorPage(refusal: Refusal, about: About): Shown {
  const { method, url, back, isSignedIn } = about
  const [title, name] = TITLES[refusal.kind] ?? [t("Invalid request"), "alert"]
  const isForm = method === "POST"
  const isMissing = refusal.kind === "notFound"
  return {
    kind: "shown",
    status: refusal.status,
    title,
    unlisted: true,
    width: "narrow",
    body: html`
      <section class="error-page">
        ${icon(name)}
        <h1>${title}</h1>
        <p>${wordsFor(refusal, about)}</p>
        <div class="bar">
          ${
            !isSignedIn &&
            isMissing &&
            html`
              <a class="button primary" href="/user/login?redirect_to=${encodeURIComponent(url)}" rel="nofollow">
                ${icon("sign-in")} Sign in
              </a>
            `
          }
          ${!isForm && PASSING.has(refusal.kind) && html`<a class="button primary" href="${url}">${icon("sync")} Try again</a>`}
          ${isForm && html`<a class="button primary" href="${back}">${icon("arrow-left")} Go back</a>`}
          ${isSignedIn && isMissing && !isForm && whyLink(url)}
          <a class="button" href="/">${icon("home")} ${isSignedIn ? t("Dashboard") : t("Front page")}</a>
        </div>
        ${isMissing && !isForm && filterForm("/search", wordsIn(url), t("Search"))}
        <p class="muted small">Status ${refusal.status}</p>
      </section>
    `,
  }
}

/** The names in a path: what someone may have looked for. */
function wordsIn(url: string): string {
  const [path = ""] = url.split("?", 1)
  try {
    return decodeURIComponent(path).split("/").slice(1, 3).join(" ").trim().slice(0, 100)
  } catch {
    return ""
  }
}

function wordsFor(refusal: Refusal, { method, requestId, isSignedIn }: About): Content {
  if (refusal.kind === "notFound")
    return isSignedIn
      ? t("It may have been moved or deleted, or you don’t have access to it.")
      : t("It may have been moved or deleted, or it is private: sign in to see it.")
  if (refusal.kind === "internal")
    return html`${method === "POST" && t("Nothing was changed.")} Administrators find details in the log, under <code>${requestId}</code>.`
  return html`${sentence(refusal.said)} ${adviceFor(refusal, method)}`
}

/** What to do next, where the refusal itself does not say so. */
function adviceFor({ kind, retryAfter }: Refusal, method: string): Text {
  const isForm = method === "POST"
  switch (kind) {
    case "methodNotAllowed":
      return isForm ? t("Nothing was changed.") : t("This is the address of a form.")
    case "tooLarge":
      return t("Nothing was changed: go back, and send less.")
    case "forbidden":
      return t("Nothing was changed. Ask an owner for access if you need it.")
    case "conflict":
    case "preconditionFailed":
      return t("Go back to see what is there now.")
    case "tooMany":
      return retryAfter === undefined || retryAfter < 2 ? "" : t("Try again in {retryAfter} seconds.", { retryAfter })
    case "full":
      return t("Contact the administrators of this site.")
    default:
      return isForm && PASSING.has(kind) ? t("Nothing was changed: go back and try again.") : ""
  }
}

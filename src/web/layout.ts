import type { User } from "../core/actor.ts"
import { attribute, type Content, type Html, html } from "../core/html.ts"
import type { Language } from "../core/language/language.ts"
import { type Text, t, textIn } from "../core/language/message.ts"
import type { Kept, Shown } from "../core/page.ts"
import { VERSION } from "../core/version.ts"
import { ADMINISTRATION_PATH } from "./administration.ts"
import { assetAddress, wordsAddress } from "./assets.ts"
import { avatar, buttonForm, menu, shortcut } from "./components.ts"
import { icon } from "./icon.ts"
import { count } from "./time.ts"

/** What surrounds every page, and depends on the reader. */
export interface Surroundings {
  readonly siteName: string
  readonly viewer: User | undefined
  /** Unread notifications. */
  readonly unread: number
  /** Their running stopwatch. */
  readonly timer: Timer | undefined
  readonly theme: Theme
  readonly language: Language
  /** The requested path with its query: to come back to after signing in. */
  readonly url: string
  /** Whether people can register. */
  readonly mayRegister: boolean
  /** A sentence about what the page before has done, and the form that takes it back. */
  readonly flash: Flash | undefined
  /** Sentences of administrators to everyone. */
  readonly announcements: readonly Announced[]
}

interface Announced {
  /** Names it, as it is now. */
  readonly mark: string
  readonly tone: "info" | "good" | "warn" | "bad"
  readonly content: Html
}

/** A stopwatch that runs on an issue. */
export interface Timer {
  /** When it was started. */
  readonly since: number
  /** How long it has been running. */
  readonly seconds: number
  /** The issue, as it is referred to, its title and its path. */
  readonly issue: string
  readonly title: string
  readonly path: string
  /** Where the person is led when it has ended: the page that they are on. */
  readonly back: string
}

export interface Flash {
  readonly text: Text
  readonly undo?: { readonly action: string; readonly fields: readonly (readonly [name: string, value: string])[] }
}

export const THEMES = ["auto", "light", "dark"] as const
export type Theme = (typeof THEMES)[number]

export const THEME_PATH = "/-/theme"
/** Takes an announcement away from the browser that asks for it. */
export const DISMISS_PATH = "/-/dismiss"
export const dismissedIn = ({ dismissed = "" }: Partial<Kept>): readonly string[] => dismissed.split("_").filter((mark) => mark !== "")
export const STYLE_PATH = "/-/style"

/** The document around a page, in two parts: what is long is sent between them. */
export function frame(shown: Shown, around: Surroundings): { readonly before: Html; readonly after: Html } {
  const { theme, language } = around
  const title = textIn(language, shown.title)
  const before = html`
    <!doctype html>
    <html
      lang="${language.code}"
      ${attribute("dir", language.direction === "rtl" ? "rtl" : undefined)}
      ${attribute("data-theme", theme === "auto" ? undefined : theme)}
    >
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>${title === around.siteName ? title : `${title} · ${around.siteName}`}</title>
      <link rel="stylesheet" href="${assetAddress("page.css")}">
      <link rel="icon" href="${assetAddress("logo.svg")}" type="image/svg+xml">
      <link rel="search" type="application/opensearchdescription+xml" href="/opensearch.xml" title="${around.siteName}">
      ${shown.feed && html`<link rel="alternate" type="application/atom+xml" href="${shown.feed}" title="${title}">`}
      ${
        shown.canonical &&
        html`
          <link rel="canonical" href="${shown.canonical}">
        `
      }
      ${
        shown.unlisted &&
        html`
          <meta name="robots" content="noindex">
        `
      }
      ${shown.head}
      ${language.code !== "en" && html`<script type="module" src="${wordsAddress(language)}"></script>`}
      ${["page", ...(shown.modules ?? [])].map((name) => html`<script type="module" src="${assetAddress(`${name}.js`)}"></script>`)}
    </head>
    <body>
    <a class="skip" href="#main">Skip to the content</a>${header(around, shown)}${announcements(around)}
    <main id="main" class="${shown.width ?? ""}">
    ${around.flash && flashView(around.flash)}${shown.body}
  `
  return {
    before,
    after: html`
      </main>
      ${footer(around)}
      </body>
      </html>
    `,
  }
}

const announcements = ({ announcements: shown }: Surroundings): Content =>
  shown.length > 0 &&
  html`
    <aside class="announcements" aria-label="Announcements">
      ${shown.map(
        ({ mark, tone, content }) =>
          html`
            <div class="notice ${tone}">
              ${icon("megaphone")}${content}
              ${buttonForm(DISMISS_PATH, icon("x", t("Dismiss this announcement")), { mark }, "small quiet")}
            </div>
          `,
      )}
    </aside>
  `

const flashView = ({ text, undo }: Flash): Html =>
  html`
    <div class="notice good flash" role="status">
      <span>${text}</span>
      ${
        undo &&
        html`
          <form class="inline" method="post" action="${undo.action}">
            ${undo.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
            <button class="small">Undo</button>
          </form>
        `
      }
    </div>
  `

function header({ viewer, unread, timer, url, siteName, mayRegister }: Surroundings, { newIssue, searchesIn }: Shown): Html {
  return html`
    <header class="site-header" ${attribute("data-viewer", viewer?.name)}>
      <div>
        <button type="button" class="quiet opens-sheet" popovertarget="places">${icon("three-bars", t("Menu"))}</button>
        <a class="logo" href="/" title="Dashboard" ${shortcut("g d")}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M12.4 1.500c.5 3.600-1 5.300-2.700 7.100C7.700 10.700 5 12.700 5 16.400A7 7 0 0 0 12 23a7 7 0 0 0 7-6.600c0-2.300-.9-4.300-2.100-6-.4 1.300-1.200 2.200-2.300 2.700.6-3.800-.1-8.600-2.200-11.600z"/>
          </svg>
          <span class="wide-only">${siteName}</span>
        </a>
        <form class="site-search" role="search" aria-label="Site" action="${searchesIn ?? "/search"}">
          ${icon("search")}
          <input
            type="search"
            name="q"
            aria-label="${searchesIn === undefined ? t("Search") : t("Search this repository")}"
            placeholder="${searchesIn === undefined ? t("Search") : t("Search this repository")}"
            autocomplete="off"
            spellcheck="false"
            ${shortcut("/")}
          >
        </form>
        <nav aria-label="Site">
          <div class="sheet" id="places" popover>
            <a href="/explore/repos">${icon("telescope")}Explore</a>
            ${
              viewer &&
              html`
                <a href="/issues">${icon("issue-opened")}Issues</a>
                <a href="/pulls">${icon("git-pull-request")}Pull requests</a>
              `
            }
          </div>
        </nav>
        <nav class="end" aria-label="You">
          ${
            viewer
              ? html`
                ${timer && timerMenu(timer)}${newMenu(newIssue)}
                <a class="bell" href="/notifications" ${shortcut("g n")}>
                  ${icon("bell", t("Notifications"))}
                  ${unread > 0 && html`<span class="count loud">${count(unread)}<span class="hidden-text"> unread</span></span>`}
                </a>
                ${viewerMenu(viewer)}
              `
              : html`
                <a href="/user/login?redirect_to=${encodeURIComponent(url)}" rel="nofollow">Sign in</a>
                ${mayRegister && html`<a href="/user/sign_up">Register</a>`}
              `
          }
        </nav>
      </div>
    </header>
  `
}

const viewerMenu = (viewer: User): Html =>
  menu(
    html`${avatar(viewer, 24)} <span class="wide-only">${viewer.name}</span>${icon("triangle-down")}`,
    html`
      <p>Signed in as ${viewer.name}</p>
      <a href="/${viewer.name}">${icon("person")}Your profile</a>
      <a href="/${viewer.name}?tab=stars">${icon("star")}Your stars</a>
      <a href="/notifications">${icon("bell")}Notifications</a>
      <a href="/user/settings">${icon("gear")}Settings</a>
      ${
        viewer.is_admin === 1 &&
        html`
          <a href="${ADMINISTRATION_PATH}">${icon("tools")}Administration</a>
          <a href="/api/swagger">${icon("code-square")}API</a>
        `
      }
      <hr>
      ${buttonForm("/user/logout", html`${icon("sign-out")}Sign out`, {}, "")}
    `,
    { name: "button quiet small" },
  )

/** Hours, minutes and seconds, as the script `page` counts them on. */
const clock = (seconds: number): string =>
  [Math.floor(seconds / 3_600), ...[Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"))].join(":")

/** A stopwatch with what ends it. */
const timerMenu = ({ since, seconds, issue, title, path, back }: Timer): Html =>
  menu(
    html`
      ${icon("stopwatch", t("Timer on {issue}", { issue }))}<span aria-hidden="true">#${issue.split("#").at(-1)}</span>${" "}
      <span class="timer" data-since="${since}">${clock(seconds)}</span>
    `,
    html`
      <a href="${path}">${icon("issue-opened")}<span><bdi>${issue}</bdi> <span dir="auto">${title}</span></span></a>
      ${buttonForm(`${path}/timer/stop`, html`${icon("check")}Stop, and add the time`, { back }, "")}
      ${buttonForm(`${path}/timer/cancel`, html`${icon("trash")}Discard`, { back }, "")}
    `,
    { name: "button quiet small" },
  )

/** What a person can make, wherever they are. */
const newMenu = (newIssue: string | undefined): Html =>
  menu(
    html`${icon("plus", t("New"))}${icon("triangle-down")}`,
    html`
      ${
        newIssue !== undefined &&
        html`
          <a href="${newIssue}">${icon("issue-opened")}New issue here</a>
          <hr>
        `
      }
      <a href="/repo/create">${icon("repo")}New repository</a>
      <a href="/repo/migrate">${icon("repo-push")}Import a repository</a>
      <a href="/org/create">${icon("organization")}New organization</a>
    `,
    { name: "button quiet small" },
  )

function footer({ theme }: Surroundings): Html {
  const name = { auto: t("System"), light: t("Light"), dark: t("Dark") } as const
  return html`
    <footer class="site-footer">
      <div>
        <span>Hearth ${VERSION}</span><a href="/api/swagger">API</a>
        <form class="end" method="post" action="${THEME_PATH}" aria-label="Colors">
          ${THEMES.map(
            (each) =>
              html`
                <button
                  class="quiet small"
                  name="theme"
                  value="${each}"
                  ${attribute("aria-pressed", each === theme ? "true" : "false")}
                >
                  ${name[each]}
                </button>
              `,
          )}
        </form>
      </div>
    </footer>
  `
}

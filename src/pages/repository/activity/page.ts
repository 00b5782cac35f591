import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Page, type PageAnswer, page } from "../../../core/page.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { type Contributions, readContributions, weekOf } from "../../../features/code/activity/contributions.ts"
import { type PeriodActivity, type PeriodEntry, type PeriodList, periodActivity } from "../../../features/review/pulls/period.ts"
import { repositoryPath } from "../../../web/address.ts"
import { choices } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { dayOf, number, plural, time } from "../../../web/time.ts"
import { commitPerson } from "../../parts/code/commits-view.ts"
import { repositoryPage } from "../frame.ts"
import { activityTabs, countingNotice } from "./parts.ts"

/** The periods, in days. */
const PERIODS = {
  daily: [1, t("A day")],
  halfweekly: [3, plural(3, "day")],
  weekly: [7, t("A week")],
  monthly: [30, t("A month")],
  quarterly: [91, plural(3, "month")],
  semiyearly: [182, plural(6, "month")],
  yearly: [365, t("A year")],
} as const
type Period = keyof typeof PERIODS

const DAY = 86_400
const access = onRepositoryUnitRead("code")

const isPeriod = (text: string): text is Period => Object.hasOwn(PERIODS, text)

/** What happened in a repository in a period. It stands here, and not beside the other pages of activity, because pull requests have a part in it. */
export const activitySummaryPages: readonly Page[] = [
  page({
    id: "activity.home",
    address: "GET /{owner}/{repo}/activity",
    access,
    changesWithTime: true,
    answer: (call) => summary(call, "weekly"),
  }),
  page({
    id: "activity.summary",
    address: "GET /{owner}/{repo}/activity/{period}",
    access,
    changesWithTime: true,
    answer: (call) => {
      if (!isPeriod(call.path.period)) throw refuse.notFound()
      return summary(call, call.path.period)
    },
  }),
]

type Call = Parameters<typeof periodActivity>[1] &
  Parameters<typeof repositoryPage>[0] &
  Parameters<typeof readContributions>[2] & {
    readonly services: Parameters<typeof readContributions>[0]
  }

async function summary(call: Call, period: Period): Promise<PageAnswer> {
  const { services, db } = call
  const at = repositoryPath(call)
  const until = services.now()
  const since = until - PERIODS[period][0] * DAY
  // What was done in the second of the request is part of it.
  const kinds = kindsOf(at, await periodActivity(db, call, since, until + 1))
  const contributions = await readContributions(services, db, call)
  return repositoryPage(call, {
    tab: "activity",
    title: t("Activity"),
    unlisted: period !== "weekly",
    body: html`
      <div class="bar">
        <h1>Activity</h1>
        ${activityTabs(call, "")}
      </div>
      <div class="bar">
        <p class="muted">${dayOf(since)} – ${dayOf(until)}</p>
        <span class="end"></span>
        ${choices(
          t("Period"),
          Object.entries(PERIODS).map(([name, [, text]]) => ({ href: `${at}/activity/${name}`, text, current: name === period })),
        )}
      </div>
      ${tiles(kinds)}${topContributors(contributions, since)}${kinds.map(listOf)}
    `,
  })
}

interface Kind {
  readonly icon: IconName
  readonly tone: string
  /** With the count, such as "2 issues closed". */
  readonly heading: (count: number) => Text
  readonly total: number
  /** The newest: where each is, what it is called, and when it was. */
  readonly entries: readonly Entry[]
}

interface Entry {
  readonly href: string
  readonly title: string
  /** Of issues and pull requests. */
  readonly number: number | undefined
  readonly at: number
}

/** What the reader may see of the period. */
function kindsOf(at: string, { mergedPulls, openedPulls, closedIssues, openedIssues, releases }: PeriodActivity): readonly Kind[] {
  const numbered = (below: string, list: PeriodList<PeriodEntry>) => ({
    total: list.total,
    entries: list.entries.map((each) => ({ ...each, href: `${at}/${below}/${each.number}` })),
  })
  const tagged = (list: NonNullable<typeof releases>) => ({
    total: list.total,
    entries: list.entries.map(({ tag, title, at: when }) => ({
      href: `${at}/releases/tag/${escapePath(tag)}`,
      title: title || tag,
      number: undefined,
      at: when,
    })),
  })
  const kinds: readonly (Kind | undefined)[] = [
    mergedPulls && {
      ...{ icon: "git-merge", tone: "merged", heading: (count: number) => plural(count, "pull request merged", "pull requests merged") },
      ...numbered("pulls", mergedPulls),
    },
    openedPulls && {
      ...{
        icon: "git-pull-request",
        tone: "open",
        heading: (count: number) => plural(count, "pull request opened", "pull requests opened"),
      },
      ...numbered("pulls", openedPulls),
    },
    closedIssues && {
      ...{ icon: "issue-closed", tone: "done", heading: (count: number) => plural(count, "issue closed", "issues closed") },
      ...numbered("issues", closedIssues),
    },
    openedIssues && {
      ...{ icon: "issue-opened", tone: "open", heading: (count: number) => plural(count, "issue opened", "issues opened") },
      ...numbered("issues", openedIssues),
    },
    releases && { ...{ icon: "tag", tone: "info", heading: (count: number) => plural(count, "release", "releases") }, ...tagged(releases) },
  ]
  return kinds.filter((kind) => kind !== undefined)
}

const tiles = (kinds: readonly Kind[]): Html =>
  html`
    <ul class="plain tiles">
      ${kinds.map(
        ({ icon: name, tone, heading, total }) =>
          html`
            <li class="card">
              <span class="state ${tone}">${icon(name)}</span>
              <span class="muted small">${heading(total)}</span>
            </li>
          `,
      )}
    </ul>
  `

const share = (part: number, whole: number): Html =>
  html`
    <svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="plain-bar" width="${Math.round((part / whole) * 1000)}" height="10"/>
    </svg>
  `

/** Those who are told of by name. */
const MOST = 10

/** Commits are counted by week: those of the week in which the period began are all told of. */
function topContributors(contributions: Contributions, since: number): Html {
  const first = weekOf(since)
  const people = contributions.contributors
    .map((each) => ({ ...each, commits: each.weeks.reduce((sum, { week, commits }) => (week >= first ? sum + commits : sum), 0) }))
    .filter(({ commits }) => commits > 0)
    .sort((a, b) => b.commits - a.commits)
  const most = people[0]?.commits ?? 1
  const total = people.reduce((sum, { commits }) => sum + commits, 0)
  return html`
    ${countingNotice(contributions)}
    <section class="card">
      <div class="head">
        <h2>${plural(total, "commit")} by ${plural(people.length, "person", "people")} since ${dayOf(first)}</h2>
      </div>
      ${
        people.length === 0
          ? html`<p class="inside muted">No commits to the default branch.</p>`
          : html`
            <table class="data top">
              <thead class="hidden-text">
                <tr>
                  <th scope="col">Contributor</th>
                  <th scope="col">Commits</th>
                  <th scope="col">Part</th>
                </tr>
              </thead>
              <tbody>
                ${people.slice(0, MOST).map(
                  (each) =>
                    html`
                      <tr>
                        <td>${commitPerson(each.user, each)}</td>
                        <td class="number">${number(each.commits)}</td>
                        <td class="over">${share(each.commits, most)}</td>
                      </tr>
                    `,
                )}
              </tbody>
            </table>
          `
      }
    </section>
  `
}

const listOf = ({ icon: name, tone, heading, total, entries }: Kind): Html | undefined =>
  total === 0
    ? undefined
    : html`
      <section class="card">
        <div class="head">
          <h2>${heading(total)}</h2>
        </div>
        <ul class="rows">
          ${entries.map(
            ({ href, title, number, at }) =>
              html`
                <li>
                  <span class="state ${tone}">${icon(name)}</span>
                  <div class="main"><a href="${href}" dir="auto">${title}</a></div>
                  <span class="muted small nowrap">${number !== undefined && `#${number} · `}${time(at)}</span>
                </li>
              `,
          )}
        </ul>
        ${total > entries.length && html`<p class="inside muted small">The newest ${entries.length} are shown.</p>`}
      </section>
    `

import { type OnRepository, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { type Page, page, type Shown } from "../../../core/page.ts"
import { type Contributions, readContributions, WEEK, type Week, weekOf } from "../../../features/code/activity/contributions.ts"
import { empty } from "../../../web/components.ts"
import { bars, mostOf, timePlot } from "../../../web/plots.ts"
import { dayOf, number, plural } from "../../../web/time.ts"
import { commitPerson } from "../../parts/code/commits-view.ts"
import { repositoryPage } from "../frame.ts"
import { ACTIVITY_TABS, activityTabs, countingNotice } from "./parts.ts"

const access = onRepositoryUnitRead("code")
/** The weeks that a plot has at least: a few would be wide blocks. */
const FEWEST = 26
/** The weeks of a table; plots show all. */
const MOST_ROWS = 104
/** The weeks of what is recent. */
const RECENT = 52

type Call = OnRepository & Pick<Request, "services" | "db" | "actor">

/** Who contributed how much to the default branch, and when: plots with their numbers beneath. */
export const activityPages: readonly Page[] = [
  page({
    id: "activity.contributors",
    address: "GET /{owner}/{repo}/activity/contributors",
    access,
    changesWithTime: true,
    answer: (call) => plotPage(call, "/contributors", contributorsView),
  }),
  page({
    id: "activity.codeFrequency",
    address: "GET /{owner}/{repo}/activity/code-frequency",
    access,
    changesWithTime: true,
    answer: (call) =>
      plotPage(call, "/code-frequency", ({ weeks }, now) => {
        const { first, of } = spanOf(weeks, now)
        const series = [
          { name: "added" as const, values: of(({ additions }) => additions) },
          { name: "removed" as const, values: of(({ deletions }) => deletions), isBelow: true },
        ]
        return html`
          <section class="card">
            <div class="inside">
              ${timePlot(t("Lines added and removed in each week, up to {most}", { most: number(mostOf(series)) }), series, first, now)}
            </div>
            ${weeksTable(weeks)}
          </section>
        `
      }),
  }),
  page({
    id: "activity.recentCommits",
    address: "GET /{owner}/{repo}/activity/recent-commits",
    access,
    changesWithTime: true,
    answer: (call) =>
      plotPage(call, "/recent-commits", ({ weeks }, now) => {
        const since = weekOf(now) - (RECENT - 1) * WEEK
        const recent = weeks.filter(({ week }) => week >= since)
        const values = spanOf(recent, now, since).of(({ commits }) => commits)
        const series = [{ name: "plain" as const, values }]
        const total = recent.reduce((sum, { commits }) => sum + commits, 0)
        return html`
          <section class="card">
            <div class="inside">
              ${timePlot(
                t("{commits} in the last year, up to {most} in a week", { commits: plural(total, "commit"), most: Math.max(0, ...values) }),
                series,
                since,
                now,
              )}
            </div>
            ${weeksTable(recent)}
          </section>
        `
      }),
  }),
]

async function plotPage(
  call: Call,
  tab: keyof typeof ACTIVITY_TABS,
  view: (contributions: Contributions, now: number) => Html,
): Promise<Shown> {
  const contributions = await readContributions(call.services, call.db, call)
  return repositoryPage(call, {
    tab: "activity",
    title: ACTIVITY_TABS[tab],
    body: html`
      <div class="bar">
        <h1>${ACTIVITY_TABS[tab]}</h1>
        ${activityTabs(call, tab)}
      </div>
      ${countingNotice(contributions)}
      ${
        contributions.weeks.length > 0
          ? view(contributions, call.services.now())
          : !contributions.isBeingComputed && empty("graph", t("No commits yet"), t("Commits to the default branch are counted here."))
      }
    `,
  })
}

/** The values of all weeks from the first one until now, also of those in which nothing was done. */
function spanOf(weeks: readonly Week[], now: number, from?: number) {
  // Clocks of committers may be wrong: nothing is drawn for the time to come, nor for before there was git.
  const drawn = weeks.filter(({ week }) => week <= now && week >= EPOCH_OF_GIT)
  const first = from ?? Math.min(drawn[0]?.week ?? now, weekOf(now) - (FEWEST - 1) * WEEK)
  const length = Math.floor((weekOf(now) - first) / WEEK) + 1
  const of = (value: (week: Week) => number): readonly number[] => {
    const values = Array.from({ length }, () => 0)
    for (const week of drawn) values[(week.week - first) / WEEK] = value(week)
    return values
  }
  return { first, of }
}

/** The year 2000: imported histories are older than git. */
const EPOCH_OF_GIT = weekOf(946_684_800)

function contributorsView({ contributors, weeks }: Contributions, now: number): Html {
  const { first, of } = spanOf(weeks, now)
  const all = [{ name: "plain" as const, values: of(({ commits }) => commits) }]
  const most = mostOf(contributors.map((each) => ({ name: "plain", values: each.weeks.map(({ commits }) => commits) })))
  return html`
    <section class="card">
      <div class="inside">
        ${timePlot(t("Commits of each week to the default branch, up to {all}", { all: mostOf(all) }), all, first, now)}
      </div>
    </section>
    <section class="card scrolls">
      <table class="data contributors">
        <thead>
          <tr>
            <th scope="col">Contributor</th>
            <th scope="col" class="number">Commits</th>
            <th scope="col" class="number">Added</th>
            <th scope="col" class="number">Removed</th>
            <th scope="col">Over time</th>
          </tr>
        </thead>
        <tbody>
          ${contributors.map(
            (each) =>
              html`
                <tr>
                  <td>${commitPerson(each.user, each)}</td>
                  <td class="number">${number(each.commits)}</td>
                  <td class="number success">+${number(each.additions)}</td>
                  <td class="number failure">−${number(each.deletions)}</td>
                  <td class="over">
                    ${bars([{ name: "plain", values: spanOf(each.weeks, now, first).of(({ commits }) => commits) }], most)}
                  </td>
                </tr>
              `,
          )}
        </tbody>
      </table>
    </section>
  `
}

const weeksTable = (weeks: readonly Week[]): Html =>
  html`
    <details class="inside">
      <summary>
        ${weeks.length > MOST_ROWS ? t("The last {MOST_ROWS} weeks with commits", { MOST_ROWS }) : t("The weeks with commits")} as a table
      </summary>
      <div class="scrolls">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Week of</th>
              <th scope="col" class="number">Commits</th>
              <th scope="col" class="number">Added</th>
              <th scope="col" class="number">Removed</th>
            </tr>
          </thead>
          <tbody>
            ${weeks
              .slice(-MOST_ROWS)
              .reverse()
              .map(
                ({ week, commits, additions, deletions }) =>
                  html`
                    <tr>
                      <td>${dayOf(week)}</td>
                      <td class="number">${commits}</td>
                      <td class="number">+${additions}</td>
                      <td class="number">−${deletions}</td>
                    </tr>
                  `,
              )}
          </tbody>
        </table>
      </div>
    </details>
  `

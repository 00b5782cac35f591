import { statfs } from "node:fs/promises"
import { siteAdministrator } from "../../access/policies/site.ts"
import { describeConfig } from "../../core/config.ts"
import { form } from "../../core/forms/form.ts"
import { attribute, type Html, html } from "../../core/html.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import type { Health, Services } from "../../core/services.ts"
import { VERSION } from "../../core/version.ts"
import { presentRunner } from "../../features/actions/runners/rules.ts"
import { findRunners } from "../../features/actions/runners/store.ts"
import { findAuditEntries } from "../../features/site/administration/audit-store.ts"
import { administrationOperations } from "../../features/site/administration/operations.ts"
import { countsOf, databaseFacts, findFailedJobs, oldestDue } from "../../features/site/administration/store.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, field, filterForm, pager, state } from "../../web/components.ts"
import { formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { bytes, duration, time, timeOf } from "../../web/time.ts"
import { ownershipPages } from "./ownership.ts"
import { peopleAdministrationPages } from "./people.ts"

/** How the site is: its health, what runs in the background, what administrators did, and how it is set up. */

const HEALTH_STATES = {
  pass: state("success", "check-circle", "Well"),
  warn: state("pending", "alert", "Soon not well"),
  fail: state("error", "x-circle", "Not well"),
} as const

const PARTS: Readonly<Record<string, string>> = {
  "database:write": "Database",
  "repositories:write": "Folder of the repositories",
  "git:start": "git",
  "disk:free": "Disk",
}

const healthView = ({ checks }: Health, free: string): Html =>
  html`
    <ul class="rows card">
      ${Object.entries(checks).map(
        ([name, [check]]) =>
          html`
            <li>
              <div class="main">
                <h3 class="title">${PARTS[name] ?? name}</h3>
                <p class="meta">
                  ${check.output !== undefined && html`<span>${check.output}</span>`}
                  ${name === "disk:free" && check.output === undefined && html`<span>${free} free</span>`}
                </p>
              </div>
              ${HEALTH_STATES[check.status]}
            </li>
          `,
      )}
    </ul>
  `

async function freeSpace({ config }: Services): Promise<string> {
  const { bavail, bsize } = await statfs(config.dataDir)
  return bytes(bavail * bsize)
}

const REGISTRATION = {
  open: "Everybody may make an account",
  invitation: "People who were invited may make an account",
  closed: "Only administrators make accounts",
} as const

/** The most runners that are asked about on the overview. */
const MOST_RUNNERS = 1000

const overview: Page = page({
  id: "admin.overview",
  address: `GET ${ADMINISTRATION_PATH}`,
  access: siteAdministrator,
  changesWithTime: true,
  answer: async ({ services, db, draft }) => {
    const { health, git, jobs, config, database, now } = services
    const [found, free, gitVersion] = await Promise.all([
      health.look(),
      freeSpace(services).catch(() => "an unknown size"),
      git.version().catch(() => "not found"),
    ])
    const counts = await countsOf(db)
    const runners = await findRunners(db, { of: "site" }, undefined, { number: 1, offset: 0, limit: MOST_RUNNERS })
    const online = runners.rows.filter((each) => presentRunner(each, now()).status === "online").length
    const waiting = await jobs.counts()
    const due = await oldestDue(db, now())
    const facts = await databaseFacts(db)
    const of = (word: string) => waiting.filter((each) => each.state === word).reduce((sum, each) => sum + each.count, 0)
    const link = (to: string, text: string) => html`<a class="in-text" href="${ADMINISTRATION_PATH}/${to}">${text}</a>`
    return administrationPage({
      part: "overview",
      title: "Overview",
      body: html`
        <div class="bar">
          <h1>Overview</h1>
          <span class="end">${HEALTH_STATES[found.status]}</span>
        </div>
        <h2 id="health">Health</h2>
        ${healthView(found, free)}
        <h2 id="counts">Totals</h2>
        <dl class="facts">
          <dt>People</dt>
          <dd>${link("users", String(counts.people))}</dd>
          <dt>Organizations</dt>
          <dd>${link("orgs", String(counts.organizations))}</dd>
          <dt>Repositories</dt>
          <dd>${link("repos", String(counts.repositories))}</dd>
          <dt>Runners</dt>
          <dd>${link("actions/runners", `${online} of ${runners.total} online`)}</dd>
          <dt>Jobs</dt>
          <dd>
            ${link("monitor/cron", `${of("waiting")} waiting, ${of("running")} running, ${of("failed")} failed`)}
            ${due > 0 && html`; the oldest is due since ${time(due, now())}`}
          </dd>
          <dt>Accounts</dt>
          <dd>
            ${REGISTRATION[config.users.registration]}
            ${config.security.requireSignIn && "; who has not signed in sees nothing"}.${" "}
            <a class="in-text" href="${ADMINISTRATION_PATH}/config?q=users.">Sign-up settings</a><br>
            <span class="muted small">
              It counts from the next start: set <code>users.registration</code> to <code>closed</code>,${" "}
              <code>invitation</code> or <code>open</code> in the configuration’s file, or${" "}
              <code>HEARTH_USERS_REGISTRATION</code>.
            </span>
          </dd>
          <dt>Mail</dt>
          <dd>
            ${config.mail.host === "" ? "No mail server is set up: nobody is written to" : html`By way of <code>${config.mail.host}</code>`}
          </dd>
        </dl>
        ${
          config.mail.host !== "" &&
          html`
            <h2 id="mail">Test mail</h2>
            ${formView(testMail, {
              draft,
              submit: "Send test mail",
              look: "plain",
              fields: [{ kind: "line", name: "email", label: "E-mail address", type: "email", required: true, maxlength: 254 }],
            })}
          `
        }
        <h2 id="limits">Limits of git commands</h2>
        <div class="scrolls card" tabindex="0" role="group" aria-label="Limits">
          <table class="data">
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col" class="number">In use</th>
                <th scope="col" class="number">At most</th>
                <th scope="col" class="number">Waiting</th>
                <th scope="col" class="number">Refused</th>
              </tr>
            </thead>
            <tbody>
              ${git.limits().map(
                (each) =>
                  html`
                    <tr>
                      <th scope="row">${each.name}</th>
                      <td class="number">${each.active}</td>
                      <td class="number">${each.total}</td>
                      <td class="number">${each.waiting}</td>
                      <td class="number">${each.refused}</td>
                    </tr>
                  `,
              )}
            </tbody>
          </table>
        </div>
        <h2 id="versions">Versions</h2>
        <dl class="facts">
          <dt>Hearth</dt>
          <dd>${VERSION}</dd>
          <dt>Node.js</dt>
          <dd>${process.versions.node}</dd>
          <dt>git</dt>
          <dd>${gitVersion}</dd>
          <dt>Database</dt>
          <dd>${database.kind === "sqlite" ? "SQLite" : "PostgreSQL"} ${facts.version}, ${bytes(facts.size)}</dd>
          <dt>Running for</dt>
          <dd>${duration(process.uptime())}</dd>
          <dt>Memory</dt>
          <dd>${bytes(process.memoryUsage.rss())}</dd>
        </dl>
      `,
    })
  },
})

const testMail = form({
  id: "admin.mail.test",
  address: `POST ${ADMINISTRATION_PATH}/mail/test`,
  does: named(administrationOperations, "adminSendTestMail"),
  on: overview,
  takes: ["email"],
  done: "The mail server accepted the mail.",
})

const TASK_STATES: Readonly<Record<string, Html>> = {
  running: state("running", "dot-fill", "Running"),
  ok: state("success", "check", "Done"),
  failed: state("error", "x", "Failed"),
  interrupted: state("neutral", "stop", "Interrupted"),
}

const JOBS_PATH = `${ADMINISTRATION_PATH}/monitor/cron` as const

const jobsPage: Page = page({
  id: "admin.jobs",
  address: `GET ${JOBS_PATH}`,
  access: siteAdministrator,
  changesWithTime: true,
  answer: async ({ services, db }) => {
    const now = services.now()
    const counts = await services.jobs.counts()
    const failed = await findFailedJobs(db)
    const tasks = await services.jobs.tasks.list()
    return administrationPage({
      part: "jobs",
      title: "Jobs and schedule",
      body: html`
        <h1>Jobs and schedule</h1>
        <h2 id="jobs">Jobs</h2>
        ${
          counts.length === 0
            ? empty(
                "check-circle",
                "Nothing waits",
                "Mails, deliveries and other work that follows a change is counted here while it waits, and when it failed.",
              )
            : html`
              <div class="scrolls card" tabindex="0" role="group" aria-label="Jobs">
                <table class="data">
                  <thead>
                    <tr>
                      <th scope="col">Kind</th>
                      <th scope="col">State</th>
                      <th scope="col" class="number">Jobs</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${counts.map(
                      (each) => html`
                        <tr>
                          <th scope="row">${each.kind}</th>
                          <td>${each.state}</td>
                          <td class="number">${each.count}</td>
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </div>
            `
        }
        ${
          failed.length > 0 &&
          html`
            <h3>Last failure</h3>
            <ul class="rows card">
              ${failed.map(
                (each) =>
                  html`
                    <li>
                      ${icon("x")}
                      <div class="main">
                        <h4 class="title">${each.kind}</h4>
                        <p class="break" dir="auto">${each.last_error.slice(0, 500)}</p>
                        <p class="meta">
                          <span>#${each.id}, ${each.attempts} attempts</span><span>${time(each.finished_at, now)}</span>
                        </p>
                      </div>
                    </li>
                  `,
              )}
            </ul>
          `
        }
        <h2 id="schedule">Schedule</h2>
        <p class="muted">Times are UTC. What has none runs only when asked for.</p>
        <ul class="rows card">
          ${tasks.map(
            (task) =>
              html`
                <li>
                  ${icon("clock")}
                  <div class="main">
                    <h3 class="title"><code>${task.name}</code></h3>
                    <p class="meta">
                      <span>${task.cron === undefined ? "when asked for" : html`<code>${task.cron}</code>`}</span>
                      ${task.lastRunAt > 0 && html`<span>${TASK_STATES[task.lastStatus]} ${time(task.lastRunAt, now)}</span>`}
                      ${task.nextRunAt > 0 && html`<span>next ${time(task.nextRunAt, now)}</span>`}
                    </p>
                    ${task.lastMessage !== "" && html`<p class="muted small break">${task.lastMessage}</p>`}
                  </div>
                  ${formButton(run, { task: task.name }, html`Run now<span class="hidden-text">: ${task.name}</span>`)}
                </li>
              `,
          )}
        </ul>
      `,
    })
  },
})

const run = form({
  id: "admin.jobs.run",
  address: `POST ${JOBS_PATH}/{task}`,
  does: named(administrationOperations, "adminCronRun"),
  on: jobsPage,
  done: "Task queued. The time of its last run shows when it has started.",
})

const AUDIT = `${ADMINISTRATION_PATH}/audit` as const
const AUDIT_FIELDS = [
  ["administrator", "Administrator"],
  ["operation", "Operation"],
  ["account", "Account of a failed sign-in"],
] as const
const DAYS = [
  ["since", "From"],
  ["before", "To"],
] as const

/** The beginning of a day, and of the next one. */
const momentOf = (day: string | undefined, after: number): number | undefined => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day ?? "") ? Date.parse(`${day}T00:00:00Z`) / 1000 : Number.NaN
  return Number.isNaN(at) ? undefined : at + after
}

const text = Type.Optional(Type.String())

const audit = page({
  id: "admin.audit",
  address: `GET ${AUDIT}`,
  access: siteAdministrator,
  query: { administrator: text, operation: text, account: text, since: text, before: text },
  answer: async ({ services, db, query, page: rows, reader }) => {
    const filter = { ...query, since: momentOf(query.since, 0), before: momentOf(query.before, 86_399) }
    const { rows: entries, total } = await findAuditEntries(db, filter, rows)
    const now = services.now()
    return administrationPage({
      part: "audit",
      title: "Audit log",
      body: html`
        <h1>Audit log</h1>
        <p class="muted">What administrators changed, by pages and by the API, and failed sign-ins. Newest first.</p>
        <form class="form" action="${AUDIT}" role="search" aria-label="Audit log">
          <div class="grid">
            ${AUDIT_FIELDS.map(([name, label]) => field({ name, label, value: query[name] ?? "" }))}
            ${DAYS.map(([name, label]) => field({ name, label, type: "date", value: query[name] ?? "" }))}
          </div>
          <div class="bar"><button>${icon("search")}Search</button><a class="button" href="${AUDIT}">Show all</a></div>
        </form>
        ${
          entries.length === 0
            ? empty("log", "Nothing matches")
            : html`
              <div class="scrolls card" tabindex="0" role="group" aria-label="Entries">
                <table class="data">
                  <thead>
                    <tr>
                      <th scope="col">When</th>
                      <th scope="col">Who</th>
                      <th scope="col">What</th>
                      <th scope="col">Status</th>
                      <th scope="col">From</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${entries.map(
                      (each) =>
                        html`
                          <tr>
                            <td class="nowrap">${timeOf(each.created_at, now)}</td>
                            <td>
                              <bdi>${each.administrator || each.account || "unknown"}</bdi>
                              ${each.acting_as !== "" && html` as <bdi>${each.acting_as}</bdi>`}
                            </td>
                            <td>
                              <code>${each.operation}</code>${each.times > 1 && html` ${each.times} times`}<br>
                              <span class="muted small break">${each.path}</span>
                            </td>
                            <td ${attribute("class", each.status >= 400 ? "error" : undefined)}>
                              ${each.status || "–"}
                            </td>
                            <td class="nowrap">${each.ip}</td>
                          </tr>
                        `,
                    )}
                  </tbody>
                </table>
              </div>
              ${pager(reader.url, rows, total)}
            `
        }
      `,
    })
  },
})

const CONFIGURATION = `${ADMINISTRATION_PATH}/config` as const

const configuration = page({
  id: "admin.configuration",
  address: `GET ${CONFIGURATION}`,
  access: siteAdministrator,
  query: { q: text },
  answer: ({ services, query }) => {
    const { q = "" } = query
    const words = new Map(describeConfig().map((each) => [each.key, each]))
    const shown = services
      .settings()
      .map((each) => ({ ...each, description: words.get(each.key)?.description ?? "", variable: words.get(each.key)?.variable ?? "" }))
      .filter((each) => `${each.key} ${each.variable} ${each.description}`.toLowerCase().includes(q.trim().toLowerCase()))
    return administrationPage({
      part: "configuration",
      title: "Configuration",
      body: html`
        <h1>Configuration</h1>
        <p class="muted">
          As it is in force. It is changed by a file, the environment or the command line, and counts from the next
          start. Secrets are hidden.
        </p>
        ${filterForm(CONFIGURATION, q, "Search settings")}
        ${
          shown.length === 0
            ? empty("gear", "No setting matches")
            : html`
              <ul class="rows">
                ${shown.map(
                  (each) =>
                    html`
                      <li>
                        <div class="main">
                          <h2 class="title"><code>${each.key}</code></h2>
                          <p class="muted small break">${each.description}</p>
                          <p class="break">
                            ${each.value === "" ? html`<span class="muted">not set</span>` : html`<code dir="auto">${each.value}</code>`}
                          </p>
                        </div>
                        <span class="muted small break">${each.source}</span>
                      </li>
                    `,
                )}
              </ul>
            `
        }
      `,
    })
  },
})

export const administrationPages: readonly Page[] = [
  overview,
  testMail,
  jobsPage,
  run,
  audit,
  configuration,
  ...peopleAdministrationPages,
  ...ownershipPages,
]

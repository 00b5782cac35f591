import { statfs } from "node:fs/promises"
import { siteAdministrator } from "../../access/policies/site.ts"
import type { Handle } from "../../core/database/database.ts"
import { form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import type { Health, Services } from "../../core/services.ts"
import { VERSION } from "../../core/version.ts"
import { presentRunner } from "../../features/actions/runners/rules.ts"
import { findRunners } from "../../features/actions/runners/store.ts"
import { administrationOperations } from "../../features/site/administration/operations.ts"
import { countsOf, databaseFacts, oldestDue } from "../../features/site/administration/store.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { state, table } from "../../web/components.ts"
import { formView } from "../../web/form.ts"
import { bytes, duration, time } from "../../web/time.ts"
import { audit } from "./audit.ts"
import { configuration } from "./config.ts"
import { jobPages } from "./cron.ts"
import { ownershipPages } from "./ownership.ts"
import { peopleAdministrationPages } from "./people.ts"
import { signInSources } from "./sign-in.ts"
import { takeover } from "./takeover.ts"

/** How the site is: its health, its totals, its limits and its versions. */

const HEALTH_STATES = {
  pass: state("success", "check-circle", t("Healthy")),
  warn: state("pending", "alert", t("Degraded")),
  fail: state("error", "x-circle", t("Failing")),
} as const

const PARTS: Readonly<Record<string, Text>> = {
  "database:write": t("Database"),
  "repositories:write": t("Repository folder"),
  "git:start": "git",
  "disk:free": t("Disk"),
  "backup:last": t("Backup"),
}

const healthView = ({ checks }: Health, free: Text): Html =>
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
  open: t("Anyone can create an account"),
  invitation: t("Invited users can create an account"),
  closed: t("Only administrators can create accounts"),
} as const

/** The most runners that are asked about on the overview. */
const MOST_RUNNERS = 1000

const overview: Page = page({
  id: "admin.overview",
  address: `GET ${ADMINISTRATION_PATH}`,
  access: siteAdministrator,
  changesWithTime: true,
  answer: async ({ services, db, draft }) => {
    const { health, git } = services
    const [found, free, gitVersion] = await Promise.all([
      health.look(),
      freeSpace(services).catch(() => t("an unknown size")),
      git.version().catch(() => t("not found")),
    ])
    return administrationPage({
      part: "overview",
      title: t("Overview"),
      body: html`
        <div class="bar">
          <h1>Overview</h1>
          <span class="end">${HEALTH_STATES[found.status]}</span>
        </div>
        <h2 id="health">Health</h2>
        ${healthView(found, free)}
        <h2 id="counts">Totals</h2>
        ${await totals(services, db)}
        ${
          services.config.mail.host !== "" &&
          html`
            <h2 id="mail">Test mail</h2>
            ${formView(testMail, {
              draft,
              submit: t("Send test mail"),
              look: "plain",
              fields: [{ kind: "line", name: "email", label: t("E-mail address"), type: "email", required: true, maxlength: 254 }],
            })}
          `
        }
        <h2 id="limits">Limits of git commands</h2>
        ${table(
          t("Limits"),
          [t("Limit"), { number: t("In use") }, { number: t("At most") }, { number: t("Waiting") }, { number: t("Refused") }],
          git.limits().map(limitRow),
        )}
        <h2 id="versions">Versions</h2>
        ${versions(services, await databaseFacts(db), gitVersion)}
        <p class="small">
          <a class="in-text" href="${ADMINISTRATION_PATH}/takeover">What was taken over from another server</a>
        </p>
      `,
    })
  },
})

async function totals({ config, jobs, now }: Services, db: Handle): Promise<Html> {
  const counts = await countsOf(db)
  const runners = await findRunners(db, { of: "site" }, undefined, { number: 1, offset: 0, limit: MOST_RUNNERS })
  const online = runners.rows.filter((each) => presentRunner(each, now()).status === "online").length
  const waiting = await jobs.counts()
  const due = await oldestDue(db, now())
  const of = (word: string) => waiting.filter((each) => each.state === word).reduce((sum, each) => sum + each.count, 0)
  const states = { waiting: of("waiting"), running: of("running"), failed: of("failed") }
  const link = (to: string, text: Text) => html`<a class="in-text" href="${ADMINISTRATION_PATH}/${to}">${text}</a>`
  return html`
    <dl class="facts">
      <dt>People</dt>
      <dd>${link("users", String(counts.people))}</dd>
      <dt>Organizations</dt>
      <dd>${link("orgs", String(counts.organizations))}</dd>
      <dt>Repositories</dt>
      <dd>${link("repos", String(counts.repositories))}</dd>
      <dt>Runners</dt>
      <dd>${link("actions/runners", t("{online} of {total} online", { online, total: runners.total }))}</dd>
      <dt>Jobs</dt>
      <dd>
        ${link("monitor/cron", t("{waiting} waiting, {running} running, {failed} failed", states))}
        ${due > 0 && html`; the oldest is due since ${time(due, now())}`}
      </dd>
      <dt>Accounts</dt>
      <dd>
        ${REGISTRATION[config.users.registration]}
        ${config.security.requireSignIn && t("; sign-in is required to view pages")}.${" "}
        <a class="in-text" href="${ADMINISTRATION_PATH}/config?q=users.">Sign-up settings</a><br>
        <span class="muted small">
          Changes take effect after a restart: set <code>users.registration</code> to <code>closed</code>,${" "}
          <code>invitation</code> or <code>open</code> in the configuration’s file, or${" "}
          <code>HEARTH_USERS_REGISTRATION</code>.
        </span>
      </dd>
      <dt>Mail</dt>
      <dd>
        ${config.mail.host === "" ? t("No mail server is configured") : html`Sent through <code>${config.mail.host}</code>`}
      </dd>
    </dl>
  `
}

const limitRow = ({ name, active, total, waiting, refused }: ReturnType<Services["git"]["limits"]>[number]): Html =>
  html`
    <tr>
      <th scope="row">${name}</th>
      ${[active, total, waiting, refused].map((each) => html`<td class="number">${each}</td>`)}
    </tr>
  `

const versions = ({ database }: Services, facts: Awaited<ReturnType<typeof databaseFacts>>, gitVersion: Text): Html =>
  html`
    <dl class="facts">
      <dt>Hearth</dt>
      <dd>${VERSION}</dd>
      <dt>Node.js</dt>
      <dd>${process.versions.node}</dd>
      <dt>git</dt>
      <dd>${gitVersion}</dd>
      <dt>Database</dt>
      <dd>${database.kind === "sqlite" ? t("SQLite") : t("PostgreSQL")} ${facts.version}, ${bytes(facts.size)}</dd>
      <dt>Running for</dt>
      <dd>${duration(process.uptime())}</dd>
      <dt>Memory</dt>
      <dd>${bytes(process.memoryUsage.rss())}</dd>
    </dl>
  `

const testMail = form({
  id: "admin.mail.test",
  address: `POST ${ADMINISTRATION_PATH}/mail/test`,
  does: named(administrationOperations, "adminSendTestMail"),
  on: overview,
  takes: ["email"],
  done: t("The mail server accepted the mail."),
})

export const administrationPages: readonly Page[] = [
  overview,
  testMail,
  ...jobPages,
  audit,
  takeover,
  configuration,
  signInSources,
  ...peopleAdministrationPages,
  ...ownershipPages,
]

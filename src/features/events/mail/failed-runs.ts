import { Mode } from "../../../access/modes.ts"
import { permissionOn, unitMode } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { signedInAs } from "../../../core/actor.ts"
import type { Listener } from "../../../core/events/events.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { chosenLanguage, type Language } from "../../../core/language/language.ts"
import { t, textIn } from "../../../core/language/message.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { findJobsOfAttempt, findRun, type Job, type Run } from "../../actions/runs/store.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { hasFailed } from "../runs.ts"
import { addressOf } from "./jobs.ts"
import type { Mail } from "./mailer.ts"
import { findRunMailReceiver } from "./store.ts"

/** Mails to people whose own runs have failed. */
export const runMails: Listener = {
  name: "mails about runs",
  onlyTells: true,
  async hear({ tx, services: { config, jobs }, events }) {
    if (config.mail.host === "") return
    for (const event of events)
      if (event.kind === "run.changed" && hasFailed(event))
        await jobs.enqueue(tx, failedRunJob, {
          runId: event.run.id,
          attempt: event.run.attempt,
          repositoryId: event.run.repository_id,
          receiverId: event.actor.id,
        })
  },
}

/** Sends the mail, if the run is still that one and its receiver may still see it. */
export const failedRunJob = defineJob({
  kind: "mail.runFailed",
  payload: Type.Object({ runId: int64(), attempt: int64(), repositoryId: int64(), receiverId: int64() }),
  timeoutSeconds: 120,
  run: async ({ runId, attempt, repositoryId, receiverId }, { context: services, signal }) => {
    const db = services.database.read
    const run = await findRun.first(db, { repositoryId, id: runId })
    const receiver = await findUserById.first(db, { id: receiverId })
    const repository = await findRepositoryById.first(db, { id: repositoryId })
    const owner = repository && (await findUserById.first(db, { id: repository.owner_id }))
    if (!run || run.attempt !== attempt || !receiver || !owner) return
    if (!(await findRunMailReceiver.first(db, { repositoryId, receiverId }))) return
    const permission = await permissionOn(db, signedInAs(receiver), { repository, owner })
    const address = await addressOf(db, receiver)
    if (address === undefined || unitMode(permission, repository, "repo.actions") < Mode.read) return
    const jobs = await findJobsOfAttempt(db, { runId, attempt })
    await services.mailer.send(
      compose(services, {
        run,
        jobs,
        address,
        fullName: `${owner.name}/${repository.name}`,
        language: chosenLanguage(receiver.language),
      }),
      signal,
    )
  },
})

interface Content {
  readonly run: Run
  readonly jobs: readonly Job[]
  readonly address: string
  readonly fullName: string
  readonly language: Language
}

function compose({ site }: Pick<Services, "site">, { run, jobs, address, fullName, language }: Content): Mail {
  const [owner = "", name = ""] = fullName.split("/")
  const page = `${repositoryHtmlUrl(site, owner, name)}/actions/runs/${run.id}`
  const failed = jobs.filter(({ state }) => state === "failure").map((job) => (job.error === "" ? job.name : `${job.name}: ${job.error}`))
  const workflow = run.workflow_name || run.workflow
  const lines = [
    textIn(language, t("{workflow} has failed for {title}", { workflow, title: run.title })),
    ...(run.error === "" ? failed : [run.error]),
  ]
  return {
    to: address,
    fromName: "Hearth",
    subject: `[${fullName}] ${textIn(language, t("{workflow} has failed", { workflow }))}: ${run.title}`.replace(/\s+/g, " ").slice(0, 250),
    text: [...lines, `-- \n${page}`].join("\n\n"),
    html: [
      ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
      `<p>-- <br><a href="${escapeHtml(page)}">${escapeHtml(page)}</a></p>`,
    ].join("\n"),
    // The same when it is sent again, so that a duplicate is shown once.
    messageId: `<run-${run.id}.${run.attempt}@${site.host}>`,
    references: [],
    headers: { "List-ID": `${fullName} <${name}.${owner}.${site.host}>`, "Auto-Submitted": "auto-generated" },
  }
}

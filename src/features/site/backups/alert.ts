import { findUserById } from "../../../access/store.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { chosenLanguage } from "../../../core/language/language.ts"
import { t, textIn } from "../../../core/language/message.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { addressOf } from "../../events/mail/jobs.ts"

/** Tells an administrator that a backup has failed. */
export const alertJob = defineJob({
  kind: "mail.backupFailed",
  payload: Type.Object({ administratorId: int64(), reason: Type.String() }),
  timeoutSeconds: 120,
  run: async ({ administratorId, reason }, { context: { database, mailer, site }, id, signal }) => {
    const administrator = await findUserById.first(database.read, { id: administratorId })
    const address = administrator?.is_admin === 1 ? await addressOf(database.read, administrator) : undefined
    if (!administrator || address === undefined) return
    const subject = textIn(chosenLanguage(administrator.language), t("The backup has failed"))
    const page = `${site.rootUrl}/-/admin/monitor/cron`
    await mailer.send(
      {
        to: address,
        fromName: "Hearth",
        subject: `[${site.host}] ${subject}`,
        text: [subject, reason, `-- \n${page}`].join("\n\n"),
        html: `<p>${escapeHtml(subject)}</p>\n<p>${escapeHtml(reason)}</p>\n<p>-- <br><a href="${escapeHtml(page)}">${escapeHtml(page)}</a></p>`,
        messageId: `<backup-${id}@${site.host}>`,
        references: [],
        headers: { "Auto-Submitted": "auto-generated" },
      },
      signal,
    )
  },
})

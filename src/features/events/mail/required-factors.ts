import { findUserById } from "../../../access/store.ts"
import { chosenLanguage } from "../../../core/language/language.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { compose } from "./compose-account.ts"
import { addressOf } from "./jobs.ts"

/** The mail to people who lack the second factor that an organisation requires, or will. */

interface Required {
  readonly organizationId: number
  /** From when on it counts, in seconds since 1970. */
  readonly dueAt: number
}

export async function writeAboutFactor(
  { database, mailer, now, site }: Services,
  { organizationId, dueAt, userId }: Required & { readonly userId: number },
  signal: AbortSignal,
) {
  const organization = await findUserById.first(database.read, { id: organizationId })
  const user = await findUserById.first(database.read, { id: userId })
  if (organization?.second_factor_due_at !== dueAt || user?.lacks_required_factor !== 1) return
  const address = await addressOf(database.read, user)
  if (address === undefined) return
  const names = { organization: organization.name, host: site.host }
  const when = `${new Date(dueAt * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`
  const mail = compose(site, {
    to: address,
    language: chosenLanguage(user.language),
    subject: t("The organization {organization} at {host} requires two-factor authentication", names),
    paragraphs: [
      t("Hello {name},", { name: user.name }),
      dueAt > now()
        ? t("From {when} on you have access to the organization {organization} only with two-factor authentication. Set it up here:", {
            when,
            organization: organization.name,
          })
        : t("You have access to the organization {organization} again once you have set up two-factor authentication. Set it up here:", {
            organization: organization.name,
          }),
    ],
    page: "/user/settings/security",
    after: t("An authenticator app or a passkey will do."),
    link: undefined,
    // The same when it is sent again, so that a duplicate is shown once.
    messageId: `second-factor-${organization.id}-${dueAt}-${user.id}`,
  })
  await mailer.send(mail, signal)
}

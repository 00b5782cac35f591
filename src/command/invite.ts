import { SIGN_UP_PATH } from "../features/events/mail/compose-account.ts"
import { invitationCode, invite } from "../features/people/sign-in/registration/registration.ts"
import { type Environment, withInstallation } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/** Invites an address. The link alone is printed to standard output, for sites that send no mail. */
export function inviteAddress(terminal: Terminal, env: Environment, email: string): Promise<void> {
  return withInstallation(env, async (services) => {
    const { config, database, site } = services
    const invitation = await database.write((tx) => invite(services, tx, { email, actor: undefined }))
    terminal.say(
      config.mail.host === "" ? `Send this link to ${email}; it is good once:` : `${email} gets a mail with this link, which is good once:`,
    )
    terminal.out(`${site.rootUrl}${SIGN_UP_PATH}?code=${invitationCode(services, invitation)}`)
  })
}

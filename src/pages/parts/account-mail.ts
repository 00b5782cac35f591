import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { notice } from "../../web/components.ts"

/** Pages that have mails sent to the address of an account. */

/** A form that asks for an address only. */
export const addressForm = (action: string, button: Text): Html =>
  html`
    <form class="form" method="post" action="${action}">
      <label class="field">
        E-mail address <input name="address" type="email" autocomplete="email" maxlength="254" required>
      </label>
      <div><button class="primary">${button}</button></div>
    </form>
  `

/** On a site without mail, names the administrator's command that does the same. */
export const withoutMail = (what: Text, command: Text): Html =>
  html`
    ${notice("warn", t("This site does not send mail."))}
    <p>Ask an administrator of the site ${what}, with the command</p>
    <p><code>${command}</code></p>
  `

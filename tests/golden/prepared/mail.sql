-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- mail.countAccountMails
select count(*) as total
from account_mails
where user_id = ?
  and about = ?;

-- mail.findComment
select id, content, review_id
from comments
where id = ?;

-- mail.findConfirmedAddress
select email
from emails
where user_id = ?
  and is_primary = ?
  and is_activated = ?;

-- mail.findRemarks
select review_comments.path, review_comments.line, comments.content
from review_comments
inner join comments on comments.id = review_comments.comment_id
where review_comments.review_id = ?
  and comments.author_id = ?
order by comments.id;

-- mail.findRunReceiver
select id
from users
where id = ?
  and not exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'run'
      and by_mail = 0)
  and not exists (
    select 1
    from notification_levels
    where user_id = users.id
      and repository_id = ?
      and level = 'ignored');

-- mail.findVerdict
select state
from reviews
where id = ?;

-- mail.forgetAccountMails
delete from account_mails
where user_id = ?
  and about = ?
  and sent_at < ?;

-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- issueSubscriptions.find
select is_watching
from issue_watches
where issue_id = ?
  and user_id = ?;

-- issueSubscriptions.findImplicit
select issues.id
from issues
where issues.id = ?
  and (issues.author_id = ? or exists (
    select comments.id
    from comments
    where comments.issue_id = issues.id
      and comments.kind in (?, ?, ?)
      and comments.author_id = ?) or exists (
    select issue_assignees.user_id
    from issue_assignees
    where issue_assignees.issue_id = issues.id
      and issue_assignees.user_id = ?) or exists (
    select reviews.id
    from reviews
    where reviews.issue_id = issues.id
      and reviews.state = 'REQUEST_REVIEW'
      and reviews.reviewer_id = ?) or exists (
    select watches.user_id
    from watches
    where watches.repository_id = issues.repository_id
      and watches.user_id = ?
      and watches.mode <> ?));

-- issueSubscriptions.put
insert into issue_watches(issue_id, user_id, is_watching, updated_at)
values (?, ?, ?, ?) on conflict (issue_id, user_id) do update
set is_watching = ?, updated_at = ?
where issue_watches.is_watching != ?;

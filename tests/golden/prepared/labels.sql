-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- labels.countOpen
select issue_labels.label_id, issues.is_pull, count(*) as total
from issues cross join issue_labels
where issues.repository_id = ?
  and issues.is_pull in (0, 1)
  and issues.is_closed = ?
  and issue_labels.issue_id = issues.id
  and issue_labels.label_id in ?
group by issue_labels.label_id, issues.is_pull;

-- labels.findOfIssue
select labels.*
from issue_labels
inner join labels on labels.id = issue_labels.label_id
where issue_labels.issue_id = ?
order by labels.name, labels.id;

-- labels.findOfIssues
select labels.*, issue_labels.issue_id
from issue_labels
inner join labels on labels.id = issue_labels.label_id
where issue_labels.issue_id in ?
order by labels.name, labels.id;

-- labels.findUsableById
select *
from labels
where id in ?
  and (repository_id = ? or organization_id = ?)
order by name, id;

-- labels.findUsableByName
select *
from labels
where name in ?
  and (repository_id = ? or organization_id = ?)
order by name, id;

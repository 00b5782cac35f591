-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- projects.deleteCards
delete from project_cards
where issue_id = ?
  and project_id in ?;

-- projects.find
select *
from projects
where id = ?
  and (owner_id = ? or repository_id = ?);

-- projects.findCard
select *
from project_cards
where project_id = ?
  and issue_id = ?;

-- projects.findColumn
select *
from project_columns
where id = ?
  and project_id = ?;

-- projects.findColumnInPlace
select project_columns.*
from project_columns
inner join projects on projects.id = project_columns.project_id
where project_columns.id = ?
  and projects.id = ?
  and (projects.owner_id = ? or projects.repository_id = ?);

-- projects.findColumns
select *
from project_columns
where project_id = ?
order by sorting, id;

-- projects.findIdsOfIssue
select project_id
from project_cards
where issue_id = ?
order by project_id;

-- projects.findIssuesOfColumn
select issues.*
from (
    select issue_id, sorting
    from project_cards
    where column_id = ?
      and ((is_pull = ? and repository_id in ?) or (is_pull = ? and repository_id in ?))
    order by sorting, issue_id desc
    limit ? offset ?) as card
inner join issues on issues.id = card.issue_id
order by card.sorting, card.issue_id desc;

-- projects.findOfIssues
select projects.*, project_cards.issue_id, owner.name as owner_name, owner.kind as owner_kind, repositories.name as repository_name
from project_cards
inner join projects on projects.id = project_cards.project_id
left join repositories on repositories.id = projects.repository_id
inner join users as owner on owner.id = coalesce(projects.owner_id, repositories.owner_id)
where project_cards.issue_id in ?
order by projects.id;

-- projects.insertCard
insert into project_cards(project_id, issue_id, column_id, sorting, repository_id, is_pull, is_closed) select project_columns.project_id, issues.id as issue_id, project_columns.id as column_id, coalesce((
    select last.sorting + 1
    from project_cards as last
    where last.column_id = ?
    order by last.sorting desc
    limit 1), 0) as sorting, issues.repository_id, issues.is_pull, issues.is_closed
from issues
inner join project_columns on project_columns.id = ?
where issues.id = ?;

-- projects.insertMissingCards
insert into project_cards(project_id, issue_id, column_id, sorting, repository_id, is_pull, is_closed) select project_columns.project_id, issues.id as issue_id, project_columns.id as column_id, coalesce((
    select last.sorting + 1
    from project_cards as last
    where last.column_id = ?
    order by last.sorting desc
    limit 1), 0) + row_number() over(order by issues.number) - 1 as sorting, issues.repository_id, issues.is_pull, issues.is_closed
from issues
inner join project_columns on project_columns.id = ?
where issues.repository_id = ?
  and (issues.id in ? or (issues.is_closed = ? and issues.id in (
    select issue_id
    from issue_labels
    where label_id = ?))) on conflict (project_id, issue_id) do nothing;

-- projects.lock
select *
from projects
where id = ?
  and (owner_id = ? or repository_id = ?)
-- on PostgreSQL:
select *
from projects
where id = ?
  and (owner_id = ? or repository_id = ?) for no key update;

-- projects.moveAllCards
update project_cards
set column_id = ?, sorting = coalesce((
    select last.sorting + 1
    from project_cards as last
    where last.column_id = ?
    order by last.sorting desc
    limit 1), 0) + moved.place
from (
    select card.project_id, card.issue_id, row_number() over(order by card.sorting, card.issue_id desc) - 1 as place
    from project_cards as card
    where card.column_id = ?) as moved
where project_cards.project_id = moved.project_id
  and project_cards.issue_id = moved.issue_id;

-- projects.moveCardTo
update project_cards
set column_id = ?, sorting = ?
where project_id = ?
  and issue_id = ?;

-- projects.moveCardToEnd
update project_cards
set column_id = ?, sorting = coalesce((
    select last.sorting + 1
    from project_cards as last
    where last.column_id = ?
      and last.issue_id <> ?
    order by last.sorting desc
    limit 1), 0)
where project_id = ?
  and issue_id = ?
returning sorting;

-- projects.shareRepository
select *
from repositories
where id = ?
-- on PostgreSQL:
select *
from repositories
where id = ? for share;

-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- repositories.count
select count(*) as count
from repositories;

-- repositories.countForks
update repositories
set forks_count = (
    select count(*) as total
    from repositories as fork
    where fork.fork_of_id = repositories.id)
where id in ?;

-- repositories.countGivenStars
update users
set stars_count = (
    select count(*) as total
    from stars
    where stars.user_id = users.id)
where id in ?;

-- repositories.countOwned
update users
set repositories_count = (
    select count(*) as total
    from repositories
    where repositories.owner_id = users.id)
where id in ?
returning id, repositories_count;

-- repositories.countStars
update repositories
set stars_count = (
    select count(*) as total
    from stars
    where stars.repository_id = repositories.id)
where id in ?;

-- repositories.countTopics
update topics
set repositories_count = (
    select count(*) as total
    from repository_topics
    where repository_topics.topic_id = topics.id)
where id in ?;

-- repositories.countUpIssues
update repositories
set open_issues_count = open_issues_count + ?, open_pulls_count = open_pulls_count + ?
where id = ?
returning *;

-- repositories.findByIds
select *
from repositories
where id in ?;

-- repositories.findMirrors
select *
from mirrors
where repository_id in ?;

-- repositories.findNewestOwned
select id
from repositories
where owner_id = ?
order by id desc
limit ?;

-- repositories.findTeamsByIds
select *
from teams
where id in ?;

-- repositories.findTransfers
select *
from repository_transfers
where repository_id in ?;

-- repositories.findUsersByIds
select *
from users
where id in ?;

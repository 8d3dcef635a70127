% spm_tmaze.m: what a trial of SPM's spm_MDP_VB_X costs with 1,024 policies: a T-maze of four places and two contexts,
% every sequence of five moves. SPM12 and its toolbox/DEM have to be on Octave's path:
%
%   octave-cli --path spm12 --path spm12/toolbox/DEM bench/peers/spm_tmaze.m
%
% Revision 7771 under Octave 7.3: 133 s of CPU time, 22 s for each of six steps (Xeon at 2.8 GHz).
sure = 0.98;
rare = 1 - sure;
A{1} = repmat(eye(4), 1, 1, 2);                                          % the place is seen
A{2}(:,:,1) = [1 0 0 1; 0 sure rare 0; 0 rare sure 0];                   % cheese or shock, in the arms
A{2}(:,:,2) = [1 0 0 1; 0 rare sure 0; 0 sure rare 0];
A{3}(:,:,1) = [1 1 1 0; 0 0 0 1; 0 0 0 0];                               % the cue
A{3}(:,:,2) = [1 1 1 0; 0 0 0 0; 0 0 0 1];
for u = 1:4
    B{1}(:,:,u) = zeros(4);
    B{1}(u,:,u) = 1;
    B{1}(:,2:3,u) = [0 0; 1 0; 0 1; 0 0];                                % an arm keeps the rat
end
B{2} = eye(2);
C = {zeros(4, 6), repmat([0 3 -3]', 1, 6), zeros(3, 6)};
[move{1:5}] = ndgrid(1:4);
V(:,:,1) = reshape(cat(6, move{:}), [], 5)';
V(:,:,2) = 1;
mdp = struct('V', V, 's', [1 1]');
mdp.A = A; mdp.B = B; mdp.C = C; mdp.D = {[1 0 0 0]', [0.5 0.5]'};
printf('%d policies\n', size(V, 2));
began = cputime;
spm_MDP_VB_X(mdp);
printf('%.1f s of CPU time\n', cputime - began);
